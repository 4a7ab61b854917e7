import { expect, test } from 'vitest'
import { encode, RawJson, rawList } from './json.ts'

test('what is written goes out as it is, and the rest as JSON', () => {
  expect(encode(new RawJson('{"a": "ü"}')).toString()).toBe('{"a": "ü"}')
  expect(encode(rawList(['{"a": 1}', '2'])).toString()).toBe('[{"a": 1},2]')
  expect(encode({ a: 'ü' }).toString()).toBe('{"a":"ü"}')
  expect(encode(undefined).toString()).toBe('null')
})
