import { checkOf } from '../../http/check.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { defaultProject, namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import type { FileOptions } from './agent-file.ts'
import { CreateTemplate, ListTemplates, TemplateList } from './body.ts'
import { Template } from './schema.ts'
import { createTemplate, listTemplates } from './templates.ts'

const operation = operationsOf('templates')

/** `/v1/templates` */
export const templateRoutes = (options: FileOptions) => async (app: App) => {
  app.get(
    '/',
    operation('list_templates', 'List templates, those changed last first', {
      headers: ProjectHeaders,
      querystring: ListTemplates,
      response: { 200: TemplateList },
    }),
    async ({ scope, query, headers }) => listTemplates(scope, query, await namedProject(scope, headers)),
  )

  app.post(
    '/',
    operation('create_template', 'Create a template of an agent as it is now, or of the one in an agent file', {
      headers: ProjectHeaders,
      body: CreateTemplate,
      response: { 201: Ref(Template) },
    }),
    async (request, reply) => {
      const { scope, body, headers } = request
      const project = (await namedProject(scope, headers)) ?? (await defaultProject(scope)).id
      reply.code(201)
      return createTemplate(scope, project, body, { ...options, check: checkOf(request) })
    },
  )
}
