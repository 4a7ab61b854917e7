import { appendFileSync } from 'node:fs'
import { compileEngine } from '../../src/db/engine/compile-engine.ts'
import { findTool } from '../../src/runtime/tools/find.ts'

/**
 * A server as `src/main.ts` starts one, with a tool of the tests besides: `count` writes its argument to the file COUNT_FILE, an
 * effect outside of the database; with an argument that begins with `hangs`, its calls never end. LEASE_MS: the lease of its runs.
 */
const { COUNT_FILE, LEASE_MS, DATABASE_URL } = process.env
const engine = DATABASE_URL ? undefined : compileEngine()
const { serve } = await import('../../src/cli/serve.ts')
const leaseMs = Number(LEASE_MS)
process.exit(
  await serve(engine, {
    findTool: (tool) =>
      tool.name === 'count'
        ? {
            outside: 'once',
            async run({ mark }) {
              appendFileSync(COUNT_FILE!, `${mark}\n`)
              if (String(mark).startsWith('hangs')) await new Promise(() => {})
              return `Counted ${mark}.`
            },
          }
        : findTool(tool),
    supervision: { leaseMs, renewMs: leaseMs / 3 },
  }),
)
