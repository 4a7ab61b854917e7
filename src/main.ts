import { enableCompileCache } from 'node:module'

// Before anything else is loaded: a warm start then compiles nothing again.
enableCompileCache()
const { serve } = await import('./cli/serve.ts')

process.exitCode = await serve()
