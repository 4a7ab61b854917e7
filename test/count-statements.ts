import pg from 'pg'
import { vi } from 'vitest'

/** The result of `work`, and the number of SQL statements it takes, without those of keys and of background work. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: number }> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const result = await work()
    const texts = query.mock.calls.map(([first]) => (first as unknown as { text?: string }).text ?? String(first))
    return {
      result,
      statements: texts.filter((text) => !/api_keys|\bjobs\.|\bworkers\b|from runs\s+where|as swept/.test(text)).length,
    }
  } finally {
    query.mockRestore()
  }
}
