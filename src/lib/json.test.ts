import { expect, test } from 'vitest'
import { encode, RawJson, rawList } from './json.ts'
import { takeSheet, writeText } from './sheet.ts'
import { addSlice, slicesOf } from './slices.ts'

test('what is written goes out as it is, and the rest as JSON', () => {
  expect(encode(new RawJson('{"a": "ü"}')).toString()).toBe('{"a": "ü"}')
  expect(encode(rawList(['{"a": 1}', '2'])).toString()).toBe('[{"a": 1},2]')
  const sheet = takeSheet()
  const { from, to } = writeText(sheet, '{"a": "ü"}')
  expect(encode(new RawJson(sheet)).toString()).toBe('{"a": "ü"}')
  const twice = slicesOf(sheet)
  for (const _ of [1, 2]) addSlice(twice, from + 1, to - 1)
  expect(encode(new RawJson(twice)).toString()).toBe('"a": "ü""a": "ü"')
  expect(encode({ a: 'ü' }).toString()).toBe('{"a":"ü"}')
  expect(encode(undefined).toString()).toBe('null')
})
