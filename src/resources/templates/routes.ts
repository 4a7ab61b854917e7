import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { type Rendered, renderList, renderObject } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { checkOf } from '../../http/check.ts'
import { olderSdk } from '../../http/letta.ts'
import type { App } from '../../http/server.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
import type { Format } from '../agent-export/read.ts'
import { retrieveAgent } from '../agents/agents.ts'
import { ALL_RELATIONS } from '../agents/relations.ts'
import { defaultProject, namedProject } from '../projects/projects.ts'
import { ProjectHeaders, Success } from '../projects/schema.ts'
import { configurationOfFile } from './agent-file.ts'
import {
  CreateTemplate,
  CreateTemplateAgents,
  Deployment,
  Done,
  ListTemplates,
  RollbackTemplate,
  SaveTemplate,
  TemplateList,
  template_name,
  template_version,
  UpdateTemplate,
} from './body.ts'
import { deploy } from './deploy.ts'
import { holding, type Named } from './named.ts'
import { saveTemplate } from './save.ts'
import { Template } from './schema.ts'
import { createTemplate, deleteTemplate, listTemplates, replaceCurrent } from './templates.ts'
import { parseVersion, rollBack } from './versions.ts'

const tags = ['templates']

/** What can be asked for in two ways: of the project a header names, or the default one; or of one in the path. */
const FORMS = [
  {
    suffix: '',
    base: '',
    saved: '/save',
    file: '',
    filePut: 'PATCH',
    project: {},
    headers: { headers: ProjectHeaders },
  },
  {
    suffix: '_in_project',
    base: '/:project_id',
    saved: '',
    file: '/agent-file',
    filePut: 'PUT',
    project: { project_id: Id('project') },
    headers: {},
  },
] as const

/** The template a request is about, and the version that its path names besides. */
export async function namedIn({ scope, params, headers }: FastifyRequest): Promise<Named & { version: string }> {
  const path = params as { project_id?: string; template_name?: string; template_version?: string }
  const project = path.project_id ?? (await namedProject(scope, headers))
  return { project, ...parseVersion(path.template_version ?? path.template_name!) }
}

/** The answer to who has made agents from a template: older SDKs read the agents themselves, not their ids. */
async function deployed(request: FastifyRequest, made: Deployment): Promise<Deployment | Rendered<Deployment>> {
  if (olderSdk(request) === undefined) return made
  const agents = await Promise.all(
    made.agent_ids.map((id) => retrieveAgent(request.scope, id, { include: ALL_RELATIONS })),
  )
  return renderObject({ ...made, agents: renderList(agents) })
}

/** `/v1/templates`: lists, and all that can be done with and without a project in the path. */
export const templateRoutes =
  ({ defaultModel, shapes }: Pick<Config, 'defaultModel'> & Pick<Format, 'shapes'>) =>
  async (app: App) => {
    app.get(
      '/',
      {
        schema: {
          operationId: 'list_templates',
          summary: 'List templates, those changed last first',
          tags,
          headers: ProjectHeaders,
          querystring: ListTemplates,
          response: { 200: TemplateList },
        },
      },
      async ({ scope, query, headers }) => listTemplates(scope, query, await namedProject(scope, headers)),
    )

    app.post(
      '/',
      {
        schema: {
          operationId: 'create_template',
          summary: 'Create a template of an agent as it is now, or of the one in an agent file',
          tags,
          headers: ProjectHeaders,
          body: CreateTemplate,
          response: { 201: Ref(Template) },
        },
      },
      async (request, reply) => {
        const { scope, body, headers } = request
        const project = (await namedProject(scope, headers)) ?? (await defaultProject(scope)).id
        reply.code(201)
        return createTemplate(scope, project, body, { check: checkOf(request), shapes, defaultModel })
      },
    )

    for (const { suffix, base, saved, file, filePut, project, headers } of FORMS) {
      const where = suffix ? ' of a project' : ''
      const params = Params({ ...project, template_name })

      app.route({
        method: filePut,
        url: `${base}/:template_name${file}`,
        schema: {
          operationId: `modify_template${suffix}`,
          summary: `Replace what is being worked on in a template${where} with an agent file`,
          tags,
          ...headers,
          params,
          body: UpdateTemplate,
          response: { 200: Done },
        },
        handler: async (request) => {
          const { scope, body } = request
          const { agent_file_json, update_existing_tools } = body
          const next = (tx: Scope) =>
            configurationOfFile(tx, 'agent_file_json', agent_file_json, update_existing_tools ?? false, {
              check: checkOf(request),
              shapes,
              defaultModel,
            })
          await replaceCurrent(scope, await namedIn(request), next, body.save_existing_changes ?? false)
          return { success: true }
        },
      })

      app.delete(
        `${base}/:template_name`,
        {
          schema: {
            operationId: `delete_template${suffix}`,
            summary: `Delete a template${where} with all its versions`,
            tags,
            ...headers,
            params,
            response: { 200: Success },
          },
        },
        async (request) => {
          await deleteTemplate(request.scope, await namedIn(request))
          return { success: true }
        },
      )

      app.post(
        `${base}/:template_name${saved}`,
        {
          schema: {
            operationId: `save_template${suffix}`,
            summary: `Save what is being worked on in a template${where} as its next version`,
            tags,
            ...headers,
            params,
            body: SaveTemplate,
            response: { 200: Ref(Template) },
          },
        },
        async (request) => saveTemplate(request.scope, await namedIn(request), request.body, defaultModel),
      )

      app.post(
        `${base}/:template_name/rollback`,
        {
          schema: {
            operationId: `rollback_template${suffix}`,
            summary: `Go on from a saved version of a template${where}`,
            tags,
            ...headers,
            params,
            body: RollbackTemplate,
            response: { 200: Done },
          },
        },
        async (request) => {
          const { version } = request.body
          const message = await holding(request.scope, await namedIn(request), (tx, template) =>
            rollBack(tx, template, version),
          )
          return { success: true, message }
        },
      )

      app.post(
        `${base}/:template_version/agents`,
        {
          schema: {
            operationId: `create_agents_from_template${suffix}`,
            summary: `Create an agent from a version of a template${where}`,
            tags,
            ...headers,
            params: Params({ ...project, template_version }),
            body: CreateTemplateAgents,
            response: { 201: Deployment },
          },
        },
        async (request, reply) => {
          const { version, ...named } = await namedIn(request)
          reply.code(201)
          return deployed(request, await deploy(request.scope, named, version, request.body, defaultModel))
        },
      )
    }
  }
