import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Opens a database and parses statements, then prints the most memory that the process has had, in kB. */
const PROGRAM = `
  import { readFileSync } from 'node:fs'
  import { compileEngine } from './compile-engine.ts'
  const engine = compileEngine()
  const { openEmbedded } = await import('./embedded.ts')
  const { default: pg } = await import('pg')
  const embedded = await openEmbedded(undefined, { engine })
  const pool = new pg.Pool(embedded.poolConfig)
  for (let n = 0; n < 500; n++) await pool.query('select ' + Array(100).fill(n).join())
  console.log(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  process.exit()`

test.skipIf(!existsSync('/proc/self/status'))(
  "a process that begins with the engine never has the compiler's memory beside the database's",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', PROGRAM], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    })
    expect(Number(stdout)).toBeLessThan(900_000)
  },
)
