import type { Config } from '../../config.ts'
import { checkOf } from '../../http/check.ts'
import type { App } from '../../http/server.ts'
import { invalid } from '../../lib/errors.ts'
import { Ref } from '../../lib/wire.ts'
import type { Format } from '../agent-export/read.ts'
import { ProjectParams, Success } from '../projects/schema.ts'
import {
  CreateTemplate,
  DeploymentParams,
  DescribeTemplate,
  Done,
  ForkTemplate,
  ListVersions,
  MigrateDeployment,
  ProjectNameParams,
  ProjectVersionParams,
  RenameTemplate,
  TemplateSnapshot,
  VersionList,
} from './body.ts'
import { configurationOf } from './configuration.ts'
import { templateNamed } from './named.ts'
import { namedIn } from './routes.ts'
import { migrateDeployment } from './save.ts'
import { Template, templateVersions } from './schema.ts'
import { configurationFrom, snapshotOf } from './snapshot.ts'
import { createTemplate, forkTemplate, modifyTemplate, replaceCurrent } from './templates.ts'
import { listVersions, versionOf } from './versions.ts'

const tags = ['templates']

/** 422 for a path that names a saved version: those never change. */
function refuseSaved(path: string): void {
  if (!/:(?!current$|dev$)/.test(path)) return
  const message = 'names a version that is saved, and stays as it is: name the template alone, or its version current'
  throw invalid({ in: 'path', field: 'template_version', message })
}

/** `/v1/templates/{project_id}/{template_name}`: what can be done with a template of a project alone. */
export const projectTemplateRoutes =
  ({ defaultModel, shapes }: Pick<Config, 'defaultModel'> & Pick<Format, 'shapes'>) =>
  async (app: App) => {
    app.post(
      '/:project_id',
      {
        schema: {
          operationId: 'create_template_in_project',
          summary: 'Create a template of a project of an agent as it is now',
          tags,
          params: ProjectParams,
          body: CreateTemplate,
          response: { 201: Ref(Template) },
        },
      },
      (request, reply) => {
        const { scope, params, body } = request
        reply.code(201)
        return createTemplate(scope, params.project_id, body, { check: checkOf(request), shapes, defaultModel })
      },
    )

    app.patch(
      '/:project_id/:template_name/name',
      {
        schema: {
          operationId: 'rename_template',
          summary: 'Rename a template with all its versions',
          tags,
          params: ProjectNameParams,
          body: RenameTemplate,
          response: { 200: Success },
        },
      },
      async (request) => {
        await modifyTemplate(request.scope, await namedIn(request), { name: request.body.new_name })
        return { success: true }
      },
    )

    app.patch(
      '/:project_id/:template_name/description',
      {
        schema: {
          operationId: 'describe_template',
          summary: 'Change the description of a template',
          tags,
          params: ProjectNameParams,
          body: DescribeTemplate,
          response: { 200: Success },
        },
      },
      async (request) => {
        await modifyTemplate(request.scope, await namedIn(request), { description: request.body.description })
        return { success: true }
      },
    )

    app.get(
      '/:project_id/:template_name/versions',
      {
        schema: {
          operationId: 'list_template_versions',
          summary: 'List the saved versions of a template, newest first',
          tags,
          params: ProjectNameParams,
          querystring: ListVersions,
          response: { 200: VersionList },
        },
      },
      async (request) => {
        const template = await templateNamed(request.scope, await namedIn(request))
        return listVersions(request.scope, template, request.query)
      },
    )

    app.get(
      '/:project_id/:template_version/snapshot',
      {
        schema: {
          operationId: 'retrieve_template_snapshot',
          summary: 'Retrieve what a version of a template holds',
          tags,
          params: ProjectVersionParams,
          response: { 200: Ref(TemplateSnapshot) },
        },
      },
      async (request) => {
        const { scope } = request
        const { version, ...named } = await namedIn(request)
        const { id } = await versionOf(scope, await templateNamed(scope, named), version)
        const found = await scope.get(templateVersions, id)
        return snapshotOf(found, await configurationOf(scope, found))
      },
    )

    app.put(
      '/:project_id/:template_version/snapshot',
      {
        schema: {
          operationId: 'replace_template_snapshot',
          summary: 'Replace what is being worked on in a template',
          tags,
          params: ProjectVersionParams,
          body: Ref(TemplateSnapshot),
          response: { 200: Done },
        },
      },
      async (request) => {
        const { scope, body, params } = request
        refuseSaved(params.template_version)
        await replaceCurrent(scope, await namedIn(request), (tx, current) => configurationFrom(tx, body, current))
        return { success: true }
      },
    )

    app.post(
      '/:project_id/:template_version/fork',
      {
        schema: {
          operationId: 'fork_template',
          summary: 'Create a template of a version of another',
          tags,
          params: ProjectVersionParams,
          body: ForkTemplate,
          response: { 200: Ref(Template) },
        },
      },
      async (request) => {
        const { version, ...named } = await namedIn(request)
        return forkTemplate(request.scope, named, version, request.body?.name)
      },
    )

    app.post(
      '/:project_id/:template_name/deployments/:deployment_id/migrate',
      {
        schema: {
          operationId: 'migrate_deployment',
          summary: 'Bring the agents of a deployment to a version of their template',
          tags,
          params: DeploymentParams,
          body: MigrateDeployment,
          response: { 200: Done },
        },
      },
      async (request) => {
        const { params, body } = request
        await migrateDeployment(request.scope, await namedIn(request), params.deployment_id, body, defaultModel)
        return { success: true }
      },
    )
  }
