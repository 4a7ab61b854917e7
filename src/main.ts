import { serve } from './cli/serve.ts'

process.exitCode = await serve()
