import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { type FoundTool, type SearchTools, type Tool, tools } from './schema.ts'

/** How little the first places weigh more than the next (Cormack, Clarke & Büttcher 2009, reciprocal rank fusion). */
const FUSION = 60

/**
 * The tools that fit a query best: those whose name, description, tags or parameters hold one of its words, in any
 * inflection (English), words of the name counting most. Without a query, the newest. 422 for a search by meaning, as long
 * as there is no embedding model.
 */
export async function searchTools(scope: Scope, body: SearchTools): Promise<FoundTool[]> {
  const { search_mode, tool_types, tags, limit } = body
  if (search_mode === 'vector') {
    throw invalid(inBody('search_mode', 'cannot be vector: no embedding model is set. Use fts or hybrid'))
  }
  const query = body.query?.trim()
  const conditions = [
    sql<boolean>`tools.organization_id = ${scope.organizationId}`,
    ...(tool_types ? [sql<boolean>`tools.tool_type = any(${tool_types}::text[])`] : []),
    ...(tags ? [sql<boolean>`tools.tags ?| ${tags}::text[]`] : []),
    ...(query ? [sql<boolean>`search_vector @@ asked.words`] : []),
  ]
  const order = query ? sql`ts_rank(search_vector, asked.words) desc,` : sql``
  // Any of the words will do; the more and the rarer places they stand in, the better.
  const words = sql`replace(plainto_tsquery('english', tool_words(${query ?? ''}))::text, '&', '|')::tsquery`
  const found = await scope.query<{ json: string; text: string }>(sql`
    select ${tools.written.neutral.json} as json, tool_text(tools.name, tools.description, tools.tags, tools.json_schema) as text
    from tools ${query ? sql`cross join (select ${words} as words) as asked` : sql``}
    where ${sql.join(conditions, sql` and `)}
    order by ${order} tools.created_at desc, tools.id desc limit ${limit ?? 50}`)
  return found.map(({ json, text }, index) => ({
    tool: JSON.parse(json) as Tool,
    embedded_text: text,
    ...(query && { fts_rank: index + 1 }),
    combined_score: query ? 1 / (FUSION + index + 1) : 0,
  }))
}
