import type { Scope } from '../../db/scope.ts'
import { checkOf } from '../../http/check.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Params } from '../../lib/wire.ts'
import { Success } from '../projects/schema.ts'
import { configurationOfFile, type FileOptions } from './agent-file.ts'
import { Done, UpdateTemplate } from './body.ts'
import { template_name } from './path-schema.ts'
import { namedIn, type ProjectSource } from './request.ts'
import { deleteTemplate, replaceCurrent } from './templates.ts'

const operation = operationsOf('templates')

/** Routes that replace the working copy of a template with an agent file, and that delete a template. */
export const templateContentRoutes = (source: ProjectSource, options: FileOptions) => async (app: App) => {
  const { suffix, where, base, filePath, fileMethod, headers } = source
  const params = Params({ ...source.params, template_name })

  app.route({
    ...operation(
      `modify_template${suffix}`,
      `Replace what is being worked on in a template${where} with an agent file`,
      { ...headers, params, body: UpdateTemplate, response: { 200: Done } },
    ),
    method: fileMethod,
    url: `${base}/:template_name${filePath}`,
    handler: async (request) => {
      const { scope, body } = request
      const { agent_file_json, update_existing_tools } = body
      const reader = { ...options, check: checkOf(request) }
      const next = (tx: Scope) =>
        configurationOfFile(tx, 'agent_file_json', agent_file_json, update_existing_tools ?? false, reader)
      await replaceCurrent(scope, await namedIn(request), next, body.save_existing_changes ?? false)
      return { success: true }
    },
  })

  app.delete(
    `${base}/:template_name`,
    operation(`delete_template${suffix}`, `Delete a template${where} with all its versions`, {
      ...headers,
      params,
      response: { 200: Success },
    }),
    async (request) => {
      await deleteTemplate(request.scope, await namedIn(request))
      return { success: true }
    },
  )
}
