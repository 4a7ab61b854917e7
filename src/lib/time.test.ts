import { expect, test } from 'vitest'
import { createClock, inZone } from './clock.ts'
import { readSpan } from './time.ts'

const spanOf = (text: string, zone = 'UTC') => {
  const span = readSpan(text, createClock(zone))
  return span && [span.from.toISOString(), span.before.toISOString()]
}

test('a date is its whole day by the clocks of the zone, on days of 23 and 25 hours too', () => {
  expect(spanOf('2026-11-21')).toEqual(['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'])
  expect(spanOf('2026-03-29', 'Europe/Berlin')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
  expect(spanOf('2026-10-25', 'Europe/Berlin')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'])
  expect(spanOf('2026-07-01', 'Asia/Kathmandu')).toEqual(['2026-06-30T18:15:00.000Z', '2026-07-01T18:15:00.000Z'])
})

test('a time without a zone has the clock’s zone, and a time with a zone has its own', () => {
  expect(spanOf('2026-07-01T08:30', 'America/New_York')![0]).toBe('2026-07-01T12:30:00.000Z')
  expect(spanOf('2026-07-01 08:30:15.5', 'UTC')).toEqual(['2026-07-01T08:30:15.500Z', '2026-07-01T08:30:15.501Z'])
  for (const text of ['2026-07-01T08:30Z', '2026-07-01t10:30+02:00', '2026-07-01T10:30+0200', '2026-07-01T10:30+02']) {
    expect([text, spanOf(text, 'America/New_York')![0]]).toEqual([text, '2026-07-01T08:30:00.000Z'])
  }
})

test('text that is no date is undefined', () => {
  const texts = ['', 'soon', '2026', '2026-02-30', '2026-13-01', '2026-01-01T24:30', '2026-01-01T10', '0000-01-01']
  for (const text of [...texts, '2026-01-01T10:00+16:00', '2026-01-01T10:00+02:60', '20260101', '2026-01-01Z']) {
    expect([text, spanOf(text)]).toEqual([text, undefined])
  }
})

test('an instant is shown as the clocks of a zone do', () => {
  const instant = new Date('2026-07-01T22:30:00.123Z')
  expect(inZone(instant, createClock('UTC'))).toBe('2026-07-01T22:30:00.123+00:00')
  expect(inZone(instant, createClock('Europe/Berlin'))).toBe('2026-07-02T00:30:00.123+02:00')
  expect(inZone(instant, createClock('America/St_Johns'))).toBe('2026-07-01T20:00:00.123-02:30')
})
