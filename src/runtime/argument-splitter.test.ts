import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createArgumentSplitter } from './argument-splitter.ts'

/** The joined pieces of arguments that come in chunks of some length. */
function split(json: string, names: string[], length: number): Record<string, string> {
  const take = createArgumentSplitter(names)
  const joined: Record<string, string> = {}
  for (let at = 0; at < json.length; at += length) {
    for (const { of = '', text } of take(json.slice(at, at + length))) joined[of] = (joined[of] ?? '') + text
  }
  return joined
}

describe('arguments that come in pieces', () => {
  test('are split into the text of the chosen ones and the JSON of the others', () => {
    const json = '{"thinking":"I \\"greet\\".\\n\\ud83d\\ude00","label":"human", "list": [1, {"a": "}"}], "on":true}'
    expect(split(json, ['thinking'], 1)).toEqual({
      thinking: 'I "greet".\n😀',
      '': '{"label": "human", "list": [1, {"a": "}"}], "on": true}',
    })
  })

  test('that are all chosen leave an empty object', () => {
    expect(split('{"thinking": "x"}', ['thinking'], 3)).toEqual({ thinking: 'x', '': '{}' })
    expect(split('{}', ['thinking'], 1)).toEqual({ '': '{}' })
  })

  test('hold a chosen value that is no text as JSON', () => {
    expect(split('{"message": {"a": "\\n"}, "n": 1}', ['message'], 2)).toEqual({
      message: '{"a": "\\n"}',
      '': '{"n": 1}',
    })
  })

  test('mean the same however they are cut', () => {
    const values = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 5 })
    fc.assert(
      fc.property(values, fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (others, text, length) => {
        const { thinking: _, ...rest } = others
        const given = JSON.stringify({ ...rest, thinking: text })
        const { thinking = '', '': json } = split(given, ['thinking'], length)
        expect([thinking, JSON.parse(json!)]).toEqual([text, JSON.parse(JSON.stringify(rest))])
      }),
    )
  })

  test('that are no JSON give some pieces', () => {
    for (const text of ['', 'no', '{"a', '{"a": "\\u12', '{"a\\x": 1}', '[1]', '{"a"}}}{{"']) {
      for (const length of [1, 100]) split(text, ['a'], length)
    }
  })
})
