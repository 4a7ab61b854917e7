import { serve } from './cli/serve.ts'

// A server that could not start ends, whatever it has begun: a supervisor starts another.
process.exit(await serve())
