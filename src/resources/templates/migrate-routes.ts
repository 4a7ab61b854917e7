import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { Done, ForkTemplate, MigrateDeployment } from './body.ts'
import { DeploymentParams, ProjectVersionParams } from './path-schema.ts'
import { namedIn } from './request.ts'
import { migrateDeployment } from './save.ts'
import { Template } from './schema.ts'
import { forkTemplate } from './templates.ts'

const tags = ['templates']

/** Routes of a project's templates that fork a version, or that migrate the agents of a deployment to one. */
export const templateMigrateRoutes = (defaultModel: string) => async (app: App) => {
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
