import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { depthOf, EXACT_SCAN_LIMIT, FUSION } from '../../lib/ranking.ts'
import { NEUTRAL_VALUES } from '../../lib/vendor-names.ts'
import { tagsMatch } from '../tags/filter.ts'
import { type FoundTool, type SearchTools, type Tool, tools } from './schema.ts'
import { withTags } from './tools.ts'
import { nearestTools, type ToolVectors } from './vectors.ts'

/** A result, and its ranks from 1. */
interface Hit {
  id: string
  fts_rank?: number
  vector_rank?: number
}

/** The score of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009). */
const fused = ({ fts_rank, vector_rank }: Hit) =>
  [fts_rank, vector_rank].reduce<number>((sum, rank) => (rank ? sum + 1 / (FUSION + rank) : sum), 0)

const best = ({ fts_rank = Infinity, vector_rank = Infinity }: Hit) => Math.min(fts_rank, vector_rank)

/** Merges two rankings of ids: equal scores by the better single rank, then the newer tool. */
function fuse(byWords: readonly string[], byVectors: readonly string[]): Hit[] {
  const hits = new Map<string, Hit>()
  for (const [n, id] of byWords.entries()) hits.set(id, { id, fts_rank: n + 1 })
  for (const [n, id] of byVectors.entries()) hits.set(id, { ...(hits.get(id) ?? { id }), vector_rank: n + 1 })
  return [...hits.values()].sort((a, b) => fused(b) - fused(a) || best(a) - best(b) || (a.id < b.id ? 1 : -1))
}

/**
 * The tools that fit a query best: by its words (`fts`: any of them, in any inflection of English, in name, description,
 * tags or parameters, those of the name counting most), by the vectors of the built-in embedding model (`vector`), or by
 * both, joined by reciprocal rank fusion (`hybrid`). Without a query, the newest.
 */
export async function searchTools(scope: Scope, vectors: ToolVectors, body: SearchTools): Promise<FoundTool[]> {
  const { tool_types } = body
  // Built-in tools are tagged with their types, which Letta clients know by other names.
  const tags = scope.names === 'vendor' ? body.tags?.flatMap((tag) => [tag, NEUTRAL_VALUES[tag] ?? tag]) : body.tags
  const mode = body.search_mode ?? 'hybrid'
  const limit = body.limit ?? 50
  const query = body.query?.trim()
  const conditions = sql.join(
    [
      sql`tools.organization_id = ${scope.organizationId}`,
      ...(tool_types ? [sql`tools.tool_type = any(${tool_types}::text[])`] : []),
      ...(tags ? [tagsMatch(tags, 'any', sql.ref('tools.tags'))] : []),
    ],
    sql` and `,
  )
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

  const byWords = async (words: string) => {
    // One matching word is enough; ts_rank prefers more matches, and matches in shorter fields.
    const tsquery = sql`select replace(plainto_tsquery('english', tool_words(${words}))::text, '&', '|')::tsquery as words`
    return idsOf(
      await scope.query<{ id: string }>(sql`
        select id from tools cross join (${tsquery}) as terms where ${conditions} and search_vector @@ terms.words
        order by ts_rank(search_vector, terms.words) desc, created_at desc, id desc limit ${sql.lit(depthOf(limit))}`),
    )
  }
  const newest = async () =>
    idsOf(
      await scope.query<{ id: string }>(sql`
        select id from tools where ${conditions} order by created_at desc, id desc limit ${limit}`),
    )

  const hits: Hit[] = query
    ? fuse(
        mode === 'vector' ? [] : await byWords(query),
        mode === 'fts'
          ? []
          : (await nearestTools(scope, vectors, query, conditions, EXACT_SCAN_LIMIT)).slice(0, depthOf(limit)),
      ).slice(0, limit)
    : (await newest()).map((id) => ({ id }))

  const rows = await scope.query<{ id: string; json: string; text: string }>(sql`
    select tools.id, ${tools.rendering.neutral.build(scope.organizationId).json} as json,
      tool_text(tools.name, tools.description, tools.tags, tools.json_schema) as text
    from tools where ${conditions} and tools.id = any(${idsOf(hits)}::text[])`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return hits.flatMap(({ id, ...ranks }) => {
    // Another transaction may have deleted the tool since.
    const row = byId.get(id)
    if (!row) return []
    const tool = withTags(scope, JSON.parse(row.json) as Tool)
    return [{ tool, embedded_text: row.text, ...ranks, combined_score: fused({ id, ...ranks }) }]
  })
}
