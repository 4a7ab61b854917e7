import { expect, test } from 'vitest'
import { pythonText } from './python-text.ts'

test.each<[unknown, string]>([
  [{ a: 1, b: [true, false, null] }, "{'a': 1, 'b': [True, False, None]}"],
  ["it's", '"it\'s"'],
  ['"it\'s"', "'\"it\\'s\"'"],
  ['a\\b\n\u0001', "'a\\\\b\\n\\x01'"],
  [{ left: undefined, out: 'é' }, "{'out': 'é'}"],
])('%j is written as Python writes it', (value, expected) => {
  expect(pythonText(value)).toBe(expected)
})
