import { checkOf } from '../../http/check.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { ProjectParams, Success } from '../projects/schema.ts'
import type { FileOptions } from './agent-file.ts'
import { CreateTemplate, DescribeTemplate, RenameTemplate } from './body.ts'
import { ProjectNameParams } from './path-schema.ts'
import { namedIn } from './request.ts'
import { Template } from './schema.ts'
import { createTemplate, modifyTemplate } from './templates.ts'

const tags = ['templates']

/** `/v1/templates/{project_id}`: routes that exist for a project in the path alone. */
export const projectTemplateRoutes = (options: FileOptions) => async (app: App) => {
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
      return createTemplate(scope, params.project_id, body, { ...options, check: checkOf(request) })
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
}
