import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { Done, ForkTemplate, MigrateDeployment } from './body.ts'
import { DeploymentParams, ProjectVersionParams } from './path-schema.ts'
import { namedIn } from './request.ts'
import { migrateDeployment } from './save.ts'
import { Template } from './schema.ts'
import { forkTemplate } from './templates.ts'

const operation = operationsOf('templates')

/** Routes of a project's templates that fork a version, or that migrate the agents of a deployment to one. */
export const templateMigrateRoutes = (defaultModel: string) => async (app: App) => {
  app.post(
    '/:project_id/:template_version/fork',
    operation('fork_template', 'Create a template of a version of another', {
      params: ProjectVersionParams,
      body: ForkTemplate,
      response: { 200: Ref(Template) },
    }),
    async (request) => {
      const { version, ...named } = await namedIn(request)
      return forkTemplate(request.scope, named, version, request.body?.name)
    },
  )

  app.post(
    '/:project_id/:template_name/deployments/:deployment_id/migrate',
    operation('migrate_deployment', 'Bring the agents of a deployment to a version of their template', {
      params: DeploymentParams,
      body: MigrateDeployment,
      response: { 200: Done },
    }),
    async (request) => {
      const { params, body } = request
      await migrateDeployment(request.scope, await namedIn(request), params.deployment_id, body, defaultModel)
      return { success: true }
    },
  )
}
