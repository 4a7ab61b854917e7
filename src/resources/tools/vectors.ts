import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Scope } from '../../db/scope.ts'
import { lexicalVector } from '../../embed/lexical.ts'

/** The number of characters of a tool's text that its vector represents. */
const MAX_TEXT = 4000

/** The number of texts to embed before other work gets a turn. */
const TEXTS_AT_ONCE = 16

/** Cached vectors at most, 2 KiB each. */
const MAX_CACHED = 10_000

/** The vectors of tools, by organization, tool and version. */
export type ToolVectors = LRUCache<string, Float32Array>

/** A cache for the vectors of the 10,000 tools that were used last. */
export const createToolVectors = (): ToolVectors => new LRUCache({ max: MAX_CACHED })

/** The vector of a text, with names such as `sendInvoice` split into words. */
const vectorOf = (text: string) => Float32Array.from(lexicalVector(text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')))

/** The cosine of two vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

/**
 * The tools nearest to a query by the vectors of the built-in embedding model, as ids, the nearest first; of equally
 * near ones the newer. Only the newest `most` that meet the conditions on `tools` are compared. Each version of a tool is
 * read and embedded once, as long as `cache` has room for its vector.
 */
export async function nearestTools(
  scope: Scope,
  cache: ToolVectors,
  query: string,
  conditions: RawBuilder<unknown>,
  most: number,
): Promise<string[]> {
  const cacheKey = (tool: { id: string; version: number }) => `${scope.organizationId} ${tool.id} ${tool.version}`
  const candidates = await scope.query<{ id: string; version: number }>(sql`
    select id, version from tools where ${conditions} order by created_at desc, id desc limit ${sql.lit(most)}`)
  const vectors = new Map<string, Float32Array>()
  const uncached: string[] = []
  for (const tool of candidates) {
    const vector = cache.get(cacheKey(tool))
    if (vector) vectors.set(tool.id, vector)
    else uncached.push(tool.id)
  }
  const texts = await scope.query<{ id: string; version: number; text: string }>(sql`
    select id, version, left(tool_text(name, description, tags, json_schema), ${sql.lit(MAX_TEXT)}) as text
    from tools where organization_id = ${scope.organizationId} and id = any(${uncached}::text[])`)
  for (const [n, tool] of texts.entries()) {
    if (n > 0 && n % TEXTS_AT_ONCE === 0) await setImmediate()
    const vector = vectorOf(tool.text)
    cache.set(cacheKey(tool), vector)
    vectors.set(tool.id, vector)
  }
  const queryVector = vectorOf(query)
  return candidates
    .flatMap(({ id }) => {
      const vector = vectors.get(id)
      return vector ? [{ id, score: cosine(queryVector, vector) }] : []
    })
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id)
}
