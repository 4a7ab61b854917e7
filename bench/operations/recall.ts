import { sql } from 'kysely'
import type { Database } from '../../src/db/engine/database.ts'
import { lexicalVector } from '../../src/embed/lexical.ts'
import type { App } from '../../src/http/server.ts'
import { type PassageArchive, TAGS } from '../data/passages.ts'
import { inject } from './capture.ts'
import { searchCall, TOP } from './passages.ts'

const QUERIES = 100

/** The share of the ten nearest passages that a search by vectors finds: of all, and of those with a tag of 1 %. */
export interface Recall {
  recall_at_10: number
  recall_at_10_filtered: number
}

export interface RecallContext {
  app: App
  database: Database
  key: string
  organizationId: string
}

/** The ids of the passages nearest to a query, by comparison with every vector. */
async function nearest(
  { database, organizationId }: RecallContext,
  archiveId: string,
  query: string,
  tag: string | undefined,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select e.passage_id as id from embeddings e
    join passages p on p.organization_id = e.organization_id and p.id = e.passage_id
    where e.organization_id = ${organizationId} and e.container_id = ${archiveId}
      ${tag ? sql`and p.tags ? ${tag}` : sql``}
    order by e.embedding <=> ${`[${lexicalVector(query)}]`}::vector, e.passage_id limit ${TOP}
  `.execute(database.kysely)
  return rows.map(({ id }) => id)
}

/** Measures the recall of searches over the API. */
export async function measureRecall(
  context: RecallContext,
  archive: PassageArchive,
  onProgress: (text: string) => void,
): Promise<Recall> {
  const recall = async (filtered: boolean) => {
    let found = 0
    let expected = 0
    onProgress(`recall of ${QUERIES} searches${filtered ? ' with a tag' : ''}`)
    for (let n = 0; n < QUERIES; n++) {
      const tag = filtered ? `tag-${n % TAGS}` : undefined
      const call = searchCall(archive, { search_mode: 'vector', ...(tag && { tags: [tag] }) })
      const ids = await nearest(context, archive.archiveId, JSON.parse(call.body!).query, tag)
      const hits = JSON.parse(await inject(context.app, context.key, call)) as { passage: { id: string } }[]
      const hitIds = new Set(hits.map(({ passage }) => passage.id))
      found += ids.filter((id) => hitIds.has(id)).length
      expected += ids.length
    }
    return found / expected
  }
  return { recall_at_10: await recall(false), recall_at_10_filtered: await recall(true) }
}
