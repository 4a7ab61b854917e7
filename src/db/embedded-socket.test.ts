import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openEmbedded } from './embedded.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What the process holds, in bytes. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('an answer of the embedded database is given whole, whatever its length, and not kept once it is read', async () => {
  const embedded = await openEmbedded()
  const pool = new pg.Pool(embedded.poolConfig)
  const ask = async (length: number) =>
    (await pool.query('select repeat($1, $2) as text', ['x', length])).rows[0].text as string
  const lengths = [0, 1, 8_191, 8_192, 1_048_575, 1_048_576, 5_000_000, 3]
  for (const length of lengths) expect(await ask(length)).toBe('x'.repeat(length))

  const before = held()
  for (let n = 0; n < 100; n++) await ask(1_000_000)
  expect(held() - before).toBeLessThan(20_000_000)

  await pool.end()
  await embedded.close()
})

test('statements sent together to the embedded database get each its own answer, and an error only its own', async () => {
  const embedded = await openEmbedded()
  const pool = new pg.Pool(embedded.poolConfig)
  const asked = Array.from({ length: 50 }, (_, n) => pool.query('select 100 / $1::int as quotient', [n % 5]))
  const answers = await Promise.allSettled(asked)
  for (const [n, answer] of answers.entries()) {
    if (n % 5 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    else expect(answer).toMatchObject({ value: { rows: [{ quotient: Math.floor(100 / (n % 5)) }] } })
  }
  await pool.end()
  await embedded.close()
})
