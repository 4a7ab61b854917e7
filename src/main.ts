import { isEmbedded } from './config.ts'
import { compileEngine } from './db/engine/compile-engine.ts'

// The compilation takes much memory for a moment: it ends before the rest of the server is loaded.
const engine = isEmbedded() ? compileEngine() : undefined
const { serve } = await import('./cli/serve.ts')

// A server that could not start ends, whatever it has begun: a supervisor starts another.
process.exit(await serve(engine))
