import { afterAll, expect, test } from 'vitest'
import { createSourceReader } from './reader.ts'

const reader = createSourceReader()
afterAll(() => reader.close())

const source_code = 'def f():\n    """Does."""\n'
const good = { source_code, source_type: 'python' }
const schema = { name: 'f', description: 'Does.', parameters: { type: 'object', properties: {}, required: [] } }

/** A type of a few hundred characters that the parser would read for years. */
const hostile = `type A = ${'({a = null as '.repeat(60)}1${'}) => void'.repeat(60)}`

test('a hostile source is given up, and neither keeps the process busy nor spoils those that follow', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  const refused = reader.read({ source_code: hostile, source_type: 'typescript' }, 'code')
  const next = reader.read(good, 'code')
  await expect(refused).rejects.toMatchObject({
    code: 'invalid',
    issues: [{ in: 'body', field: 'code', message: expect.stringContaining('too large or too intricate') }],
  })
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(10)
  expect(await next).toEqual(schema)
})

test('a source too large for its share of memory is given up', async () => {
  const huge = { ...good, source_code: 'x = [1, 2, {3: "a"}]\n'.repeat(370_000) }
  await expect(reader.read(huge, 'code')).rejects.toMatchObject({ code: 'invalid' })
  expect(await reader.read(good, 'code')).toEqual(schema)
})

test('a thousand sources at once are each answered with their own schema', async () => {
  const names = Array.from({ length: 1000 }, (_, n) => `f${n}`)
  const read = await Promise.all(
    names.map((name) => reader.read({ ...good, source_code: source_code.replace('f()', `${name}()`) }, 'code')),
  )
  expect(read.map(({ name }) => name)).toEqual(names)
})
