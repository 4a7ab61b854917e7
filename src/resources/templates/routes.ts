import { checkOf } from '../../http/check.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { invalid } from '../../lib/errors.ts'
import { Ref } from '../../lib/wire.ts'
import { defaultProject, namedProject } from '../projects/projects.ts'
import { ProjectHeaders, ProjectParams, Success } from '../projects/schema.ts'
import type { FileOptions } from './agent-file.ts'
import {
  CreateTemplate,
  DeploymentParams,
  DescribeTemplate,
  Done,
  ForkTemplate,
  ListTemplates,
  ListVersions,
  MigrateDeployment,
  ProjectNameParams,
  ProjectVersionParams,
  RenameTemplate,
  TemplateList,
  VersionList,
} from './body.ts'
import { configurationOf } from './configuration.ts'
import { templateNamed } from './named.ts'
import { migrateDeployment } from './save.ts'
import { Template, templateVersions } from './schema.ts'
import { snapshotOf } from './snapshot.ts'
import { configurationFrom } from './snapshot-configuration.ts'
import { TemplateSnapshot } from './snapshot-schema.ts'
import { namedIn } from './source-routes.ts'
import { createTemplate, forkTemplate, listTemplates, modifyTemplate, replaceCurrent } from './templates.ts'
import { listVersions, versionOf } from './versions.ts'

const headers = ProjectHeaders
const params = ProjectNameParams
const ofVersion = { params: ProjectVersionParams }
const made = { 200: Ref(Template) }
const done = { 200: Done }

const operations = operationsOf('templates', {
  list_templates: [
    'List templates, those changed last first',
    { headers, querystring: ListTemplates, response: { 200: TemplateList } },
  ],
  create_template: [
    'Create a template of an agent as it is now, or of the one in an agent file',
    { headers, body: CreateTemplate, response: made },
  ],
  create_template_in_project: [
    'Create a template of a project of an agent as it is now',
    { params: ProjectParams, body: CreateTemplate, response: made },
  ],
  rename_template: [
    'Rename a template with all its versions',
    { params, body: RenameTemplate, response: { 200: Success } },
  ],
  describe_template: [
    'Change the description of a template',
    { params, body: DescribeTemplate, response: { 200: Success } },
  ],
  list_template_versions: [
    'List the saved versions of a template, newest first',
    { params, querystring: ListVersions, response: { 200: VersionList } },
  ],
  retrieve_template_snapshot: [
    'Retrieve what a version of a template holds',
    { ...ofVersion, response: { 200: Ref(TemplateSnapshot) } },
  ],
  replace_template_snapshot: [
    'Replace the working copy of a template',
    { ...ofVersion, body: Ref(TemplateSnapshot), response: done },
    { namesModels: 'refused' },
  ],
  fork_template: [
    'Create a template of a version of another',
    { ...ofVersion, body: ForkTemplate, response: { 200: Ref(Template) } },
  ],
  migrate_deployment: [
    'Bring the agents of a deployment to a version of their template',
    { params: DeploymentParams, body: MigrateDeployment, response: done },
  ],
})

/** `/v1/templates` */
export const templateRoutes = (options: FileOptions) => async (app: App) => {
  app.get('/', operations.list_templates, async ({ scope, query, headers }) =>
    listTemplates(scope, query, await namedProject(scope, headers)),
  )

  app.post('/', operations.create_template, async (request) => {
    const { scope, body, headers } = request
    const project = (await namedProject(scope, headers)) ?? (await defaultProject(scope)).id
    return createTemplate(scope, project, body, { ...options, check: checkOf(request) })
  })
}

/** 422 for a path that names a saved version: those never change. */
function refuseSaved(path: string): void {
  if (!/:(?!current$|dev$)/.test(path)) return
  const message = 'names a version that is saved, and stays as it is: name the template alone, or its version current'
  throw invalid({ in: 'path', field: 'template_version', message })
}

/** `/v1/templates/{project_id}`: routes that exist for a project in the path alone. */
export const projectTemplateRoutes = (options: FileOptions) => async (app: App) => {
  app.post('/:project_id', operations.create_template_in_project, (request) => {
    const { scope, params, body } = request
    return createTemplate(scope, params.project_id, body, { ...options, check: checkOf(request) })
  })

  app.patch('/:project_id/:template_name/name', operations.rename_template, async (request) => {
    await modifyTemplate(request.scope, await namedIn(request), { name: request.body.new_name })
    return { success: true }
  })

  app.patch('/:project_id/:template_name/description', operations.describe_template, async (request) => {
    await modifyTemplate(request.scope, await namedIn(request), { description: request.body.description })
    return { success: true }
  })

  app.get('/:project_id/:template_name/versions', operations.list_template_versions, async (request) => {
    const template = await templateNamed(request.scope, await namedIn(request))
    return listVersions(request.scope, template, request.query)
  })

  app.get('/:project_id/:template_version/snapshot', operations.retrieve_template_snapshot, async (request) => {
    const { scope } = request
    const { version, ...named } = await namedIn(request)
    const { id } = await versionOf(scope, await templateNamed(scope, named), version)
    const found = await scope.get(templateVersions, id)
    return snapshotOf(found, await configurationOf(scope, found))
  })

  app.put('/:project_id/:template_version/snapshot', operations.replace_template_snapshot, async (request) => {
    const { scope, body, params } = request
    refuseSaved(params.template_version)
    await replaceCurrent(scope, await namedIn(request), (tx, current) => configurationFrom(tx, body, current))
    return { success: true }
  })

  app.post('/:project_id/:template_version/fork', operations.fork_template, async (request) => {
    const { version, ...named } = await namedIn(request)
    return forkTemplate(request.scope, named, version, request.body?.name)
  })

  const migrate = '/:project_id/:template_name/deployments/:deployment_id/migrate'
  app.post(migrate, operations.migrate_deployment, async (request) => {
    const { params, body } = request
    await migrateDeployment(request.scope, await namedIn(request), params.deployment_id, body, options.defaultModel)
    return { success: true }
  })
}
