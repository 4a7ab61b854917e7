import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../src/db/database.ts'
import { lexicalVector } from '../src/embed/lexical.ts'
import type { App } from '../src/http/server.ts'
import { instantOf, newId } from '../src/lib/ids.ts'
import { modelKey } from '../src/resources/models/embedding.ts'
import { LEXICAL } from '../src/resources/models/handles.ts'
import type { Call } from './operations.ts'
import { createTopics, type Topics } from './topics.ts'

const BATCH = 500
const TEXT_WORDS = 40
const QUERY_WORDS = 12
/** Of a hundred passages one has the tag that is searched for. */
const TAGS = 100
const QUERIES = 100
/** How many passages one request makes. */
export const BATCH_SIZE = 25
/** What is looked at of an answer: recall@10. */
const TOP = 10

const INDEX = 'embeddings_512'

/** The archive of the passages, and texts to ask for and to add. */
export interface Knowledge {
  archive: string
  topics: Topics
}

/** A vector as text with the digits that count: what was made is then as long as what a model gives. */
const written = (text: string) => `[${lexicalVector(text).map((value) => Math.round(value * 1e7) / 1e7)}]`

/** Fills an archive with passages and their vectors. Built at the end, the index takes a fraction of the time. */
export async function addPassages(
  database: Database,
  organizationId: string,
  count: number,
  onProgress: (text: string) => void,
): Promise<Knowledge> {
  const topics = createTopics(1)
  const { kysely } = database
  const archive = newId('archive')
  await sql`insert into archives (organization_id, id, name, embedding_config, vector_db_provider, created_at, updated_at)
    values (${organizationId}, ${archive}, 'Knowledge', ${JSON.stringify(LEXICAL)}::jsonb, 'native', now(), now())
  `.execute(kysely)
  const { rows: indexes } = await sql<{ indexdef: string }>`
    select indexdef from pg_indexes where indexname = ${INDEX} and schemaname = current_schema()`.execute(kysely)
  await sql`drop index ${sql.table(INDEX)}`.execute(kysely)
  for (let start = 0; start < count; start += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - start) }, (_, n) => {
      const id = newId('passage')
      const created_at = instantOf(id)!.toISOString()
      return { id, text: topics.text(TEXT_WORDS), tags: [`tag-${(start + n) % TAGS}`], created_at }
    })
    await sql`insert into passages (organization_id, archive_id, id, text, tags, created_at, updated_at)
      select ${organizationId}, ${archive}, id, text, tags, created_at, created_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as made (id text, text text, tags jsonb, created_at timestamptz)`.execute(kysely)
    await sql`insert into embeddings (organization_id, container_id, model, passage_id, embedding)
      select ${organizationId}, ${archive}, ${modelKey(LEXICAL)}, id, embedding::vector
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ text }) => written(text))}::text[])
        as made (id, embedding)`.execute(kysely)
    onProgress(`making passages: ${start + rows.length} of ${count}`)
  }
  onProgress(`indexing ${count} vectors`)
  await database.transaction(async (trx) => {
    await sql`set local maintenance_work_mem = '1GB'`.execute(trx)
    await sql.raw(indexes[0]!.indexdef).execute(trx)
  })
  return { archive, topics }
}

/** A search of the knowledge as a request. */
export const searchCall = ({ archive, topics }: Knowledge, extra: object = {}): Call => ({
  method: 'POST',
  path: '/v1/passages/search',
  body: JSON.stringify({ query: topics.text(QUERY_WORDS), archive_id: archive, limit: TOP, ...extra }),
})

/** The making of many passages by one request. */
export const batchCall = ({ archive, topics }: Knowledge): Call => ({
  method: 'POST',
  path: `/v1/archives/${archive}/passages/batch`,
  body: JSON.stringify({
    passages: Array.from({ length: BATCH_SIZE }, () => ({ text: topics.text(TEXT_WORDS), tags: ['made'] })),
  }),
})

/** Whether the server can make many passages by one request. */
export const hasBatch = (app: App) => app.hasRoute({ method: 'POST', url: '/v1/archives/:archive_id/passages/batch' })

/** Of the ten nearest passages, how many a search by vectors gives: of all, and of those with a tag of 1 %. */
export interface Recall {
  recall_at_10: number
  recall_at_10_filtered: number
}

/** Measures recall over the API against a comparison of every vector. */
export async function measureRecall(
  { app, database, key, organizationId }: { app: App; database: Database; key: string; organizationId: string },
  knowledge: Knowledge,
  onProgress: (text: string) => void,
): Promise<Recall> {
  const recall = async (tagged: boolean) => {
    let found = 0
    let wanted = 0
    for (let n = 0; n < QUERIES; n++) {
      onProgress(`recall${tagged ? ' with a tag' : ''}: ${n} of ${QUERIES} queries`)
      const tag = `tag-${n % TAGS}`
      const call = searchCall(knowledge, { search_mode: 'vector', ...(tagged && { tags: [tag] }) })
      const { query } = JSON.parse(call.body!)
      const { rows } = await sql<{ id: string }>`
        select e.passage_id as id from embeddings e
        join passages p on p.organization_id = e.organization_id and p.id = e.passage_id
        where e.organization_id = ${organizationId} and e.container_id = ${knowledge.archive}
          ${tagged ? sql`and p.tags ? ${tag}` : sql``}
        order by e.embedding <=> ${`[${lexicalVector(query)}]`}::vector, e.passage_id limit ${TOP}`.execute(
        database.kysely,
      )
      const reply = await app.inject({
        method: 'POST',
        url: call.path,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': randomUUID() },
        payload: call.body!,
      })
      if (reply.statusCode !== 200) throw new Error(`A search answered ${reply.statusCode}: ${reply.body}`)
      const ids = new Set(reply.json().map((hit: { passage: { id: string } }) => hit.passage.id))
      found += rows.filter(({ id }) => ids.has(id)).length
      wanted += rows.length
    }
    return found / wanted
  }
  return { recall_at_10: await recall(false), recall_at_10_filtered: await recall(true) }
}
