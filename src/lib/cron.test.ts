import { expect, test } from 'vitest'
import { nextInstant } from './cron.ts'

/** The next instants after one, each after the one before. */
function instants(expression: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = []
  for (let at = new Date(after); found.length < count; ) {
    at = nextInstant(expression, timezone, at)!
    found.push(at.toISOString().replace(':00.000Z', ''))
  }
  return found
}

test('a time that the clock skips comes an hour later, on the same day', () => {
  expect(instants('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3)).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ])
})

test('a time that the clock shows twice comes once', () => {
  expect(instants('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
  expect(instants('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2)).toEqual([
    '2026-11-01T05:30',
    '2026-11-02T06:30',
  ])
})

test('every hour comes every hour, whatever the clock shows', () => {
  const hours = ['00:00', '01:00', '02:00', '03:00']
  for (const day of ['2026-03-29', '2026-10-25']) {
    const expected = hours.map((hour) => `${day}T${hour}`)
    expect(instants('0 * * * *', 'Europe/Berlin', new Date(Date.parse(day) - 1).toISOString(), 4)).toEqual(expected)
  }
})

test('days of the week and of the month, ranges, steps, names and the usual words are known', () => {
  const after = new Date('2026-03-07T12:00Z')
  const next = (expression: string) => nextInstant(expression, 'Asia/Kolkata', after)?.toISOString()
  expect(next('0 9 * * MON-FRI')).toBe('2026-03-09T03:30:00.000Z')
  expect(next('*/20 * 29 2 *')).toBe('2028-02-28T18:30:00.000Z')
  expect(next('@daily')).toBe('2026-03-07T18:30:00.000Z')
})

test.each([
  '',
  '5',
  '* * * *',
  '* * * * * *',
  '61 * * * *',
  '0 0 30 2 *',
  'H * * * *',
  '0 1,H(1-3) * * *',
  '@minutely',
  'x',
])('"%s" is no expression', (expression) => expect(nextInstant(expression, 'UTC', new Date())).toBeUndefined())
