import { describe, expect, test } from 'vitest'
import { newId, nounOf } from './ids.ts'

describe('the noun of an error message', () => {
  test.each([
    ['agent', 'agent'],
    ['source', 'folder'],
    ['api_key', 'API key'],
    ['agent-env', 'secret'],
    ['saved_search', 'saved search'],
  ])('for an id with the prefix %s is "%s"', (prefix, noun) => {
    expect(nounOf(newId(prefix))).toBe(noun)
  })

  test.each(['', 'agent', 'an agent of mine', `Agent-${'0'.repeat(36)}`])('for the text "%s" is "resource"', (text) => {
    expect(nounOf(text)).toBe('resource')
  })
})
