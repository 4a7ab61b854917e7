import { expect, test } from 'vitest'
import { recursiveSplit } from './recursive-split.ts'
import { SEPARATORS } from './separators.ts'

/** Splits by the number of characters. */
const split = (text: string, size: number, overlap = 0, separators: readonly string[] = SEPARATORS.plain) => [
  ...recursiveSplit(text, { size, overlap, separators, lengthOf: ({ length }) => length }),
]

test('splits at paragraphs before lines, and at lines before words', () => {
  expect(split('one two\nthree\n\nfour five six\nseven', 16)).toEqual(['one two\nthree', 'four five six', 'seven'])
})

test('splits source code before its definitions', () => {
  const text = 'import os\ndef a():\n  x = 1\n\n  y = 2\ndef b():\n  pass'
  expect(split(text, 30, 0, SEPARATORS.python)).toEqual([
    'import os',
    'def a():\n  x = 1\n\n  y = 2',
    'def b():\n  pass',
  ])
})

test('repeats the end of a chunk at the beginning of the next', () => {
  expect(split('aa bb cc dd ee', 9, 3)).toEqual(['aa bb cc', 'cc dd ee'])
})

test('leaves a word longer than a chunk whole', () => {
  expect(split('short 😀😀😀😀😀😀 end', 8)).toEqual(['short', '😀😀😀😀😀😀', 'end'])
})

test('a separator may be any characters', () => {
  expect(split('a.*b.*c', 4, 0, ['.*'])).toEqual(['a.*b', '.*c'])
})
