import { Command } from 'commander'
import type { Act } from './action.ts'

/** `cairn serve`: runs the server until SIGTERM or SIGINT. */
export const serveCommand = (_act: Act) =>
  new Command('serve').description('start the server').action(async () => {
    // The server is loaded by this command alone: the others start in a tenth of the time.
    const { serve } = await import('./serve.ts')
    process.exit(await serve())
  })
