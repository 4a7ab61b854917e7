import { checkOf } from '../../http/check.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { defaultProject, namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import type { FileOptions } from './agent-file.ts'
import { CreateTemplate, ListTemplates, TemplateList } from './body.ts'
import { Template } from './schema.ts'
import { createTemplate, listTemplates } from './templates.ts'

const tags = ['templates']

/** `/v1/templates` */
export const templateRoutes = (options: FileOptions) => async (app: App) => {
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
      return createTemplate(scope, project, body, { ...options, check: checkOf(request) })
    },
  )
}
