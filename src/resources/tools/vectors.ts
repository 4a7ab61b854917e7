import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Scope } from '../../db/scope.ts'
import { lexicalVector } from '../../embed/lexical.ts'

/** How much of a tool's text its vector is made of, in characters. */
const READ = 4000

/** How many texts are embedded without letting other work have its turn. */
const TEXTS_AT_ONCE = 16

/** Cached vectors at most, 2 KiB each. */
const MAX_CACHED = 10_000

/** The vectors of tools, by organization, tool and version. */
export type ToolVectors = LRUCache<string, Float32Array>

/** A cache for the vectors of the 10,000 tools that were used last. */
export const createToolVectors = (): ToolVectors => new LRUCache({ max: MAX_CACHED })

/** The vector of a text, names in it (`sendInvoice`) taken apart into their words. */
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
  const keyOf = (tool: { id: string; version: number }) => `${scope.organizationId} ${tool.id} ${tool.version}`
  const candidates = await scope.query<{ id: string; version: number }>(sql`
    select id, version from tools where ${conditions} order by created_at desc, id desc limit ${sql.lit(most)}`)
  const vectors = new Map<string, Float32Array>()
  const unread: string[] = []
  for (const tool of candidates) {
    const vector = cache.get(keyOf(tool))
    if (vector) vectors.set(tool.id, vector)
    else unread.push(tool.id)
  }
  const texts = await scope.query<{ id: string; version: number; text: string }>(sql`
    select id, version, left(tool_text(name, description, tags, json_schema), ${sql.lit(READ)}) as text
    from tools where organization_id = ${scope.organizationId} and id = any(${unread}::text[])`)
  for (const [n, tool] of texts.entries()) {
    if (n > 0 && n % TEXTS_AT_ONCE === 0) await setImmediate()
    const vector = vectorOf(tool.text)
    cache.set(keyOf(tool), vector)
    vectors.set(tool.id, vector)
  }
  const asked = vectorOf(query)
  return candidates
    .flatMap(({ id }) => {
      const vector = vectors.get(id)
      return vector ? [{ id, score: cosine(asked, vector) }] : []
    })
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id)
}
