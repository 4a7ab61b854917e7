import { afterEach, describe, expect, test, vi } from 'vitest'
import { instantOf, newId, nounOf } from './ids.ts'

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

describe('the ids of a server whose clock is put back', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const putBack = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - milliseconds })
  const thousandIds = () => Array.from({ length: 1000 }, () => newId('agent'))

  test('hold the new time, and sort in the order of their making', () => {
    const ahead = instantOf(newId('agent'))!.getTime()
    putBack(24 * 60 * 60 * 1000)
    const first = thousandIds()
    vi.advanceTimersByTime(1)
    const ids = [...first, ...thousandIds()]
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(2000)
    expect(ids.map((id) => instantOf(id)!.getTime()).filter((time) => time > Date.now())).toEqual([])
    expect(instantOf(ids[0]!)!.getTime()).toBeLessThan(ahead)
  })

  test('by less than ten seconds still sort behind earlier ones', () => {
    // Later than any test has set the clock of this process.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + Date.UTC(2100) })
    const before = newId('agent')
    putBack(5000)
    expect(newId('agent') > before).toBe(true)
  })
})
