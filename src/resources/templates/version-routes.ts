import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Params, Ref } from '../../lib/wire.ts'
import { Done, RollbackTemplate, SaveTemplate } from './body.ts'
import { holding } from './named.ts'
import { template_name } from './path-schema.ts'
import { namedIn, type ProjectSource } from './request.ts'
import { saveTemplate } from './save.ts'
import { Template } from './schema.ts'
import { rollBack } from './versions.ts'

const operation = operationsOf('templates')

/** Routes that save a version of a template and that go back to one. */
export const templateVersionRoutes = (source: ProjectSource, defaultModel: string) => async (app: App) => {
  const { suffix, where, base, savePath, headers } = source
  const params = Params({ ...source.params, template_name })

  app.post(
    `${base}/:template_name${savePath}`,
    operation(`save_template${suffix}`, `Save what is being worked on in a template${where} as its next version`, {
      ...headers,
      params,
      body: SaveTemplate,
      response: { 200: Ref(Template) },
    }),
    async (request) => saveTemplate(request.scope, await namedIn(request), request.body, defaultModel),
  )

  app.post(
    `${base}/:template_name/rollback`,
    operation(`rollback_template${suffix}`, `Go on from a saved version of a template${where}`, {
      ...headers,
      params,
      body: RollbackTemplate,
      response: { 200: Done },
    }),
    async (request) => {
      const { version } = request.body
      const message = await holding(request.scope, await namedIn(request), (tx, template) =>
        rollBack(tx, template, version),
      )
      return { success: true, message }
    },
  )
}
