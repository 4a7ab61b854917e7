import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { invalid } from '../../lib/errors.ts'
import { Ref } from '../../lib/wire.ts'
import { Done, ListVersions, VersionList } from './body.ts'
import { configurationOf } from './configuration.ts'
import { templateNamed } from './named.ts'
import { ProjectNameParams, ProjectVersionParams } from './path-schema.ts'
import { namedIn } from './request.ts'
import { templateVersions } from './schema.ts'
import { snapshotOf } from './snapshot.ts'
import { configurationFrom } from './snapshot-configuration.ts'
import { TemplateSnapshot } from './snapshot-schema.ts'
import { replaceCurrent } from './templates.ts'
import { listVersions, versionOf } from './versions.ts'

const operation = operationsOf('templates')

/** 422 for a path that names a saved version: those never change. */
function refuseSaved(path: string): void {
  if (!/:(?!current$|dev$)/.test(path)) return
  const message = 'names a version that is saved, and stays as it is: name the template alone, or its version current'
  throw invalid({ in: 'path', field: 'template_version', message })
}

/** Routes that read the versions of a template of a project, and that edit its working copy. */
export async function templateSnapshotRoutes(app: App) {
  app.get(
    '/:project_id/:template_name/versions',
    operation('list_template_versions', 'List the saved versions of a template, newest first', {
      params: ProjectNameParams,
      querystring: ListVersions,
      response: { 200: VersionList },
    }),
    async (request) => {
      const template = await templateNamed(request.scope, await namedIn(request))
      return listVersions(request.scope, template, request.query)
    },
  )

  app.get(
    '/:project_id/:template_version/snapshot',
    operation('retrieve_template_snapshot', 'Retrieve what a version of a template holds', {
      params: ProjectVersionParams,
      response: { 200: Ref(TemplateSnapshot) },
    }),
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
    operation('replace_template_snapshot', 'Replace what is being worked on in a template', {
      params: ProjectVersionParams,
      body: Ref(TemplateSnapshot),
      response: { 200: Done },
    }),
    async (request) => {
      const { scope, body, params } = request
      refuseSaved(params.template_version)
      await replaceCurrent(scope, await namedIn(request), (tx, current) => configurationFrom(tx, body, current))
      return { success: true }
    },
  )
}
