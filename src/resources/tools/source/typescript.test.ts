import { describe, expect, test } from 'vitest'
import { deriveSchema } from './derive.ts'

const derive = (source_code: string) => deriveSchema({ source_code, source_type: 'typescript' })

function faultsOf(source: string): string[] {
  const derived = derive(source)
  return 'faults' in derived ? derived.faults : []
}

/** The schema of a parameter, less its description, and whether it must be given. */
function parameter(declaration: string, before = '') {
  const derived = derive(`${before}\n/** Does.\n * @param x The x. */\nfunction tool(${declaration}) {}`)
  if ('faults' in derived) throw new Error(derived.faults.join('\n'))
  const { properties, required } = derived.schema.parameters
  const { description, ...schema } = properties.x as { description: string }
  expect(description).toBe('The x.')
  return [schema, required.includes('x')]
}

const typeOf = (type: string, before?: string) => parameter(`x: ${type}`, before)[0]

describe('a TypeScript function', () => {
  test('tells name, description and parameters by its types and its JSDoc', () => {
    const source = `
import { z } from 'zod'
function helper() {}
/**
 * Rolls dice.
 *
 * Each die is fair.
 * @param {number} sides - How many sides
 *   each die has.
 * @param [times] How often.
 * @returns what was rolled
 */
export async function rollDice(sides: number, times = 1, ...rest: string[]): Promise<number[]> { return [] }
function after() {}
`
    expect(derive(source)).toEqual({
      schema: {
        name: 'rollDice',
        description: 'Rolls dice.\n\nEach die is fair.',
        parameters: {
          type: 'object',
          properties: {
            sides: { type: 'number', description: 'How many sides\neach die has.' },
            times: { type: 'number', description: 'How often.' },
          },
          required: ['sides'],
        },
      },
    })
  })

  test('is the last one that is exported, or the last one of all', () => {
    const nameOf = (source: string) => derive(source)
    const first = '/** A. */\nfunction first() {}\n'
    const last = '/** B. */\nconst last = () => {}\n'
    expect(nameOf(first + last)).toMatchObject({ schema: { name: 'last' } })
    expect(nameOf(`${first}${last}export { first }`)).toMatchObject({ schema: { name: 'first' } })
    expect(nameOf(`${first}${last}export default first`)).toMatchObject({ schema: { name: 'first' } })
    expect(nameOf(`/** A. */\nexport const one = async function () {}\n${last}`)).toMatchObject({
      schema: { name: 'one' },
    })
    expect(nameOf(`/** A. */\nexport default function one() {}\n${last}`)).toMatchObject({ schema: { name: 'one' } })
  })

  test('takes the documented types', () => {
    expect(typeOf('string')).toEqual({ type: 'string' })
    expect(typeOf('number')).toEqual({ type: 'number' })
    expect(typeOf('boolean')).toEqual({ type: 'boolean' })
    expect(typeOf('unknown')).toEqual({})
    for (const type of ['string[]', 'Array<string>', 'readonly string[]', 'ReadonlyArray<string>', '(string)[]']) {
      expect(typeOf(type)).toEqual({ type: 'array', items: { type: 'string' } })
    }
    expect(typeOf("'c' | 'f'")).toEqual({ type: 'string', enum: ['c', 'f'] })
    expect(typeOf("1 | -2 | 'x'")).toEqual({ enum: [1, -2, 'x'] })
    expect(typeOf('string | number[]')).toEqual({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }],
    })
    expect(typeOf('Record<string, number>')).toEqual({ type: 'object', additionalProperties: { type: 'number' } })
    expect(typeOf('[a: number, b?: string]')).toEqual({
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'string' }],
      minItems: 1,
      maxItems: 2,
    })
    expect(typeOf('Color', "enum Color { Red = 'red', Blue = 'blue' }")).toEqual({
      type: 'string',
      enum: ['red', 'blue'],
    })
    expect(typeOf('Color', 'enum Color { Red, Blue = 5, Green }')).toEqual({ type: 'integer', enum: [0, 5, 6] })
  })

  test('may take objects: written out, as interfaces, as types', () => {
    const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    expect(typeOf('{ city: string }')).toEqual(place)
    expect(typeOf('Place', 'interface Place { city: string }')).toEqual(place)
    expect(typeOf('Place', 'export type Place = { city: string }')).toEqual(place)
    expect(typeOf('{ city: string } & { zip?: number }')).toEqual({
      ...place,
      properties: { city: { type: 'string' }, zip: { type: 'number' } },
    })
    expect(typeOf('Partial<Place>', 'interface Place { city: string }')).toEqual({ ...place, required: [] })
    const before = `
interface Base { id: number }
interface Place extends Base {
  /** Its name. */
  city: string
  zip?: string | null
}`
    expect(
      derive(`${before}\n/** Does.\n * @param x Where.\n * @param x.zip Its code. */\nfunction f(x: Place) {}`),
    ).toMatchObject({
      schema: {
        parameters: {
          properties: {
            x: {
              properties: {
                id: { type: 'number' },
                city: { type: 'string', description: 'Its name.' },
                zip: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Its code.' },
              },
              required: ['id', 'city'],
            },
          },
        },
      },
    })
  })

  test('need not be given what has ? or a default, or may be undefined', () => {
    expect(parameter('x: number')).toEqual([{ type: 'number' }, true])
    expect(parameter('x?: number')).toEqual([{ type: 'number' }, false])
    expect(parameter('x: number = 3')).toEqual([{ type: 'number' }, false])
    expect(parameter("x = 'a'")).toEqual([{ type: 'string' }, false])
    expect(parameter('x: number | undefined')).toEqual([{ type: 'number' }, false])
    expect(parameter('x: number | null')).toEqual([{ anyOf: [{ type: 'number' }, { type: 'null' }] }, true])
  })
})

describe('a TypeScript source that can’t be read', () => {
  test.each([
    ['export function f(x: {', 'line 1, column 23: '],
    ['function f() {\n  const = 1\n}', 'line 2, column 9: '],
    ['def f():\n    pass', 'line 1, column 4: '],
  ])('is told where: %j', (source, where) => {
    expect(faultsOf(source)).toEqual([expect.stringContaining(where)])
  })

  test('is told everything that is missing, and which types JSON can’t hold', () => {
    expect(faultsOf('// no JSDoc\nexport function f(x, y: Foo) {}')).toEqual([
      expect.stringMatching(/^line 2, column 1: function f is not described/),
      expect.stringMatching(/^line 2, column 19: parameter x is not described/),
      expect.stringMatching(/^line 2, column 19: parameter x has no type/),
      expect.stringMatching(/^line 2, column 22: parameter y is not described/),
      expect.stringMatching(/^line 2, column 25: Foo is no type that JSON can hold/),
    ])
    expect(faultsOf('const x = 1')).toEqual(['no function is defined at the top level'])
    expect(faultsOf('/** A. */\nfunction f({ a }: { a: number }) {}')).toEqual([
      expect.stringMatching(/^line 2, column 12: a parameter must have a name/),
    ])
    const types = ['Date', 'bigint', '() => void', 'Map<string, string>', '{ f(): void }', '[...string[]]', 'keyof Foo']
    for (const type of types) {
      const faults = faultsOf(`/** A.\n * @param x X */\nfunction f(x: ${type}) {}`)
      expect([type, faults]).toEqual([type, [expect.stringContaining('no type that JSON can hold')]])
    }
    const source = 'type T = { t: T[] }\n/** A.\n * @param x X */\nfunction f(x: T) {}'
    expect(faultsOf(source)).toEqual(["line 1, column 15: the type T contains itself, which a tool's parameters can't"])
  })
})
