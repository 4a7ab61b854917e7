import { isEmbedded, readConfig } from './config.ts'
import { compileEngine } from './db/engine/compile-engine.ts'

/** Whether the settings ask for the embedded database. `serve` reports settings that are invalid: no engine is compiled for them. */
function embeds(): boolean {
  try {
    readConfig()
    return isEmbedded()
  } catch {
    return false
  }
}

// The compilation takes much memory for a moment: it ends before the rest of the server is loaded.
const engine = embeds() ? compileEngine() : undefined
const { serve } = await import('./cli/serve.ts')

// A server that could not start ends, whatever it has begun: a supervisor starts another.
process.exit(await serve(engine))
