import { expect, test } from 'vitest'
import { createRecentRequests } from './recent-requests.ts'

const at = (time: string) => Date.parse(`2026-11-24T${time}Z`)

test('the last hour has the requests of each of its minutes, the oldest first', () => {
  let now = at('09:59:59')
  const recent = createRecentRequests(() => now)
  recent.add(200)
  now = at('10:00:00')
  recent.add(200)
  recent.add(404)
  now = at('10:58:30')
  recent.add(500)
  now = at('10:59:29')
  recent.add(200)
  const { last_minute, last_hour } = recent.report()
  expect(last_minute).toEqual({ requests: 2, refused: 0, failed: 1 })
  expect(last_hour.length).toBe(60)
  expect(last_hour[0]).toEqual({ at: '2026-11-24T10:00:00.000Z', requests: 2, refused: 1, failed: 0 })
  expect(last_hour[1]).toEqual({ at: '2026-11-24T10:01:00.000Z', requests: 0, refused: 0, failed: 0 })
  expect(last_hour[58]).toEqual({ at: '2026-11-24T10:58:00.000Z', requests: 1, refused: 0, failed: 1 })
  expect(last_hour[59]).toEqual({ at: '2026-11-24T10:59:00.000Z', requests: 1, refused: 0, failed: 0 })
})
