import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import type { App } from '../server.ts'
import { build, canBuild, isOutdated } from './build.ts'
import { type Absence, addPages } from './pages.ts'
import { createSignInCodes, signInRoute } from './sign-in.ts'

/** The folder of the console. */
const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url))

/** Serves the console, and signs in to it with a key that `createKey` makes. */
export async function addConsole(
  app: App,
  { buildsConsole }: Pick<Config, 'buildsConsole'>,
  createKey: () => Promise<string>,
): Promise<void> {
  let absence: Absence = 'missing'
  const stopped = new AbortController()
  let done: Promise<unknown> = Promise.resolve()
  app.addHook('onListen', async () => {
    if (!buildsConsole || !isOutdated(FOLDER) || !canBuild(FOLDER)) return
    absence = 'building'
    done = build(FOLDER, app.log, stopped.signal).then((built) => {
      absence = built ? 'missing' : 'failed'
    })
  })
  app.addHook('preClose', async () => stopped.abort())
  app.addHook('onClose', () => done)

  const codes = createSignInCodes()
  app.decorate('issueSignInCode', codes.issue)
  signInRoute(app, codes, createKey)
  await addPages(app, join(FOLDER, 'dist'), () => absence)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** A code that signs in to the console once, on this machine; undefined for a server without the console. */
    issueSignInCode?: () => string
  }
}
