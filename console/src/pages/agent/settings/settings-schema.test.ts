import { expect, test } from 'vitest'
import { withoutNull } from '../../../api/without-null.ts'
import { changesOf } from './settings-schema.ts'

test('a save sends what was changed and nothing else; what was emptied is null', () => {
  const before = { name: 'Ada', description: 'Old', tags: ['a'], system: 'Be kind.' }
  expect(changesOf(before, { name: 'Ada', tags: ['a', 'b'], system: 'Be kind.' })).toEqual({
    description: null,
    tags: ['a', 'b'],
  })
  expect(changesOf(before, before)).toEqual({})
})

test('a form shows one control for a value that may be null', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: ['string', 'null'], pattern: '^a' },
      effort: { anyOf: [{ type: 'string', enum: ['low', 'high'] }, { type: 'null' }], description: 'How much.' },
      rule: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      title: { type: ['string', 'null'], title: 'not for people' },
    },
  }
  expect(withoutNull(schema)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      effort: { type: 'string', enum: ['low', 'high'], description: 'How much.' },
      rule: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      title: { type: 'string' },
    },
  })
})
