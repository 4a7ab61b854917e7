import pg from 'pg'
import { vi } from 'vitest'

/** The statements of keys, which are cached, and of the upkeep of background work, which comes when it comes. */
const UPKEEP =
  /api_keys|\bjobs\.|\bworkers\b|from runs\s+where|as swept|from schedules\s+where next|from batches where completed|pending_expires_at <=/

/** The result of `work`, and the number of SQL statements it takes, without those of keys and of background work. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: number }> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const result = await work()
    const texts = query.mock.calls.map(([first]) => (first as unknown as { text?: string }).text ?? String(first))
    return { result, statements: texts.filter((text) => !UPKEEP.test(text)).length }
  } finally {
    query.mockRestore()
  }
}
