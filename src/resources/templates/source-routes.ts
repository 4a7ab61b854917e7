import type { FastifyRequest, FastifySchema } from 'fastify'
import type { Rendered } from '../../db/render/rendered.ts'
import { renderList, renderObject } from '../../db/render/wrap.ts'
import type { Scope } from '../../db/scope.ts'
import { checkOf } from '../../http/check.ts'
import { olderSdk } from '../../http/letta.ts'
import { operationOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
import { retrieveAgent } from '../agents/agents.ts'
import { ALL_RELATIONS } from '../agents/relations.ts'
import { namedProject } from '../projects/projects.ts'
import { ProjectHeaders, Success } from '../projects/schema.ts'
import { configurationOfFile, type FileOptions } from './agent-file.ts'
import {
  CreateTemplateAgents,
  Deployment,
  Done,
  RollbackTemplate,
  SaveTemplate,
  template_name,
  template_version,
  UpdateTemplate,
} from './body.ts'
import { deploy } from './deploy.ts'
import { holding, type Named } from './named.ts'
import { saveTemplate } from './save.ts'
import { Template } from './schema.ts'
import { deleteTemplate, replaceCurrent } from './templates.ts'
import { parseVersion, rollBack } from './versions.ts'

/** Where a request names the project of a template: the same routes exist for either place. */
interface ProjectSource {
  /** The end of the operations' ids. */
  suffix: string
  /** The end of a phrase in the operations' summaries. */
  where: string
  base: string
  savePath: string
  filePath: string
  fileMethod: 'PATCH' | 'PUT'
  params: { project_id?: ReturnType<typeof Id> }
  headers: { headers?: typeof ProjectHeaders }
}

/** A header names the project; without one, it is the default project. */
export const inHeader: ProjectSource = {
  suffix: '',
  where: '',
  base: '',
  savePath: '/save',
  filePath: '',
  fileMethod: 'PATCH',
  params: {},
  headers: { headers: ProjectHeaders },
}

/** The path names the project. */
export const inPath: ProjectSource = {
  suffix: '_in_project',
  where: ' of a project',
  base: '/:project_id',
  savePath: '',
  filePath: '/agent-file',
  fileMethod: 'PUT',
  params: { project_id: Id('project') },
  headers: {},
}

/** The template that a request names, and the version that its path names; without one, the latest version. */
export async function namedIn({ scope, params, headers }: FastifyRequest): Promise<Named & { version: string }> {
  const path = params as { project_id?: string; template_name?: string; template_version?: string }
  const project = path.project_id ?? (await namedProject(scope, headers))
  return { project, ...parseVersion(path.template_version ?? path.template_name!) }
}

/** The response to a deployment: older SDKs read the agents themselves instead of their ids. */
async function responseTo(request: FastifyRequest, made: Deployment): Promise<Deployment | Rendered<Deployment>> {
  if (olderSdk(request) === undefined) return made
  const agents = await Promise.all(
    made.agent_ids.map((id) => retrieveAgent(request.scope, id, { include: ALL_RELATIONS })),
  )
  return renderObject({ ...made, agents: renderList(agents) })
}

/** Routes that replace the working copy of a template, delete a template, save a version, go back to one, and deploy one. */
export const templateSourceRoutes = (source: ProjectSource, options: FileOptions) => async (app: App) => {
  const { suffix, where, base, savePath, filePath, fileMethod } = source
  const params = Params({ ...source.params, template_name })
  const operation = <const S extends FastifySchema>(id: string, summary: string, schema: S) =>
    operationOf('templates', `${id}${suffix}`, summary, { ...source.headers, ...schema })

  const modify = { params, body: UpdateTemplate, response: { 200: Done } }
  app.route({
    ...operation('modify_template', `Replace the working copy of a template${where} by an agent file`, modify),
    method: fileMethod,
    url: `${base}/:template_name${filePath}`,
    handler: async (request) => {
      const { save_existing_changes, ...file } = request.body
      const reader = { ...options, check: checkOf(request) }
      const next = (tx: Scope) =>
        configurationOfFile(tx, 'agent_file_json', file.agent_file_json, file.update_existing_tools ?? false, reader)
      await replaceCurrent(request.scope, await namedIn(request), next, save_existing_changes ?? false)
      return { success: true }
    },
  })

  const remove = { params, response: { 200: Success } }
  app.delete(
    `${base}/:template_name`,
    operation('delete_template', `Delete a template${where} with all its versions`, remove),
    async (request) => {
      await deleteTemplate(request.scope, await namedIn(request))
      return { success: true }
    },
  )

  const save = { params, body: SaveTemplate, response: { 200: Ref(Template) } }
  app.post(
    `${base}/:template_name${savePath}`,
    operation('save_template', `Save the working copy of a template${where} as its next version`, save),
    async (request) => saveTemplate(request.scope, await namedIn(request), request.body, options.defaultModel),
  )

  const rollback = { params, body: RollbackTemplate, response: { 200: Done } }
  app.post(
    `${base}/:template_name/rollback`,
    operation('rollback_template', `Go on from a saved version of a template${where}`, rollback),
    async (request) => {
      const { version } = request.body
      const back = (tx: Scope, template: Template) => rollBack(tx, template, version)
      return { success: true, message: await holding(request.scope, await namedIn(request), back) }
    },
  )

  const versionParams = Params({ ...source.params, template_version })
  const create = { params: versionParams, body: CreateTemplateAgents, response: { 200: Deployment } }
  app.post(
    `${base}/:template_version/agents`,
    operation('create_agents_from_template', `Create an agent from a version of a template${where}`, create),
    async (request) => {
      const { version, ...named } = await namedIn(request)
      return responseTo(request, await deploy(request.scope, named, version, request.body, options.defaultModel))
    },
  )
}
