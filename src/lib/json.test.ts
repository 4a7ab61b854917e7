import { expect, test } from 'vitest'
import { encode, RawJson } from './json.ts'

test.each([
  ['nothing', []],
  ['one short text', ['"é"']],
  ['long texts and short ones, in any script', ['"€"'.repeat(40_000), '1', `"${'😀'.repeat(50_000)}"`, '"x"']],
  ['texts in parts', [['{"a":', `"${'ü'.repeat(70_000)}"`, '}'], '2', ['3'], [], ['[', ']']]],
])('a written list goes out as its items, in UTF-8: %s', (_, items: (string | string[])[]) => {
  const list = new RawJson(items)
  const text = `[${items.map((item) => [item].flat().join('')).join()}]`
  expect(list.text).toBe(text)
  expect(encode(list).equals(Buffer.from(text))).toBe(true)
})

test('what is written goes out as it is, and the rest as JSON', () => {
  expect(encode(new RawJson('{"a": 1}')).toString()).toBe('{"a": 1}')
  expect(encode({ a: 'ü' }).toString()).toBe('{"a":"ü"}')
  expect(encode(undefined).toString()).toBe('null')
})
