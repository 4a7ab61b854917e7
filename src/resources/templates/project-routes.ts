import { checkOf } from '../../http/check.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { ProjectParams, Success } from '../projects/schema.ts'
import type { FileOptions } from './agent-file.ts'
import { CreateTemplate, DescribeTemplate, RenameTemplate } from './body.ts'
import { ProjectNameParams } from './path-schema.ts'
import { namedIn } from './request.ts'
import { Template } from './schema.ts'
import { createTemplate, modifyTemplate } from './templates.ts'

const operation = operationsOf('templates')

/** `/v1/templates/{project_id}`: routes that exist for a project in the path alone. */
export const projectTemplateRoutes = (options: FileOptions) => async (app: App) => {
  app.post(
    '/:project_id',
    operation('create_template_in_project', 'Create a template of a project of an agent as it is now', {
      params: ProjectParams,
      body: CreateTemplate,
      response: { 201: Ref(Template) },
    }),
    (request, reply) => {
      const { scope, params, body } = request
      reply.code(201)
      return createTemplate(scope, params.project_id, body, { ...options, check: checkOf(request) })
    },
  )

  app.patch(
    '/:project_id/:template_name/name',
    operation('rename_template', 'Rename a template with all its versions', {
      params: ProjectNameParams,
      body: RenameTemplate,
      response: { 200: Success },
    }),
    async (request) => {
      await modifyTemplate(request.scope, await namedIn(request), { name: request.body.new_name })
      return { success: true }
    },
  )

  app.patch(
    '/:project_id/:template_name/description',
    operation('describe_template', 'Change the description of a template', {
      params: ProjectNameParams,
      body: DescribeTemplate,
      response: { 200: Success },
    }),
    async (request) => {
      await modifyTemplate(request.scope, await namedIn(request), { description: request.body.description })
      return { success: true }
    },
  )
}
