import { sql } from 'kysely'
import type { Database } from '../../src/db/engine/database.ts'
import { lexicalVector } from '../../src/embed/lexical.ts'
import { instantOf, newId } from '../../src/lib/ids.ts'
import { modelKey } from '../../src/resources/models/embedding.ts'
import { DEFAULT_EMBEDDING } from '../../src/resources/models/handles.ts'
import { createTopics, type Topics } from './topics.ts'

const BATCH = 500
const TEXT_WORDS = 40
/** Each tag is on one of a hundred passages. */
export const TAGS = 100

/** The vector index of the built-in model's dimension. */
const INDEX = 'embeddings_512'

/** An archive of passages, and the source of their texts. */
export interface PassageArchive {
  archiveId: string
  topics: Topics
}

/** A vector as text with seven digits, as long as the vectors of a model. */
const vectorText = (text: string) => `[${lexicalVector(text).map((value) => Math.round(value * 1e7) / 1e7)}]`

interface PassageRow {
  id: string
  text: string
  tags: string[]
  created_at: string
}

function passageRow(topics: Topics, n: number): PassageRow {
  const id = newId('passage')
  return { id, text: topics.text(TEXT_WORDS), tags: [`tag-${n % TAGS}`], created_at: instantOf(id)!.toISOString() }
}

async function insertBatch({ kysely }: Database, organizationId: string, archiveId: string, rows: PassageRow[]) {
  await sql`insert into passages (organization_id, archive_id, id, text, tags, created_at, updated_at)
    select ${organizationId}, ${archiveId}, id, text, tags, created_at, created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as made (id text, text text, tags jsonb, created_at timestamptz)`.execute(kysely)
  await sql`insert into embeddings (organization_id, container_id, model, passage_id, embedding)
    select ${organizationId}, ${archiveId}, ${modelKey(DEFAULT_EMBEDDING)}, id, embedding::vector
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ text }) => vectorText(text))}::text[])
      as made (id, embedding)`.execute(kysely)
}

/** Runs `work` without the vector index: building the index afterwards takes a fraction of the time. */
async function withoutIndex(database: Database, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ indexdef: string }>`
    select indexdef from pg_indexes where indexname = ${INDEX} and schemaname = current_schema()
  `.execute(database.kysely)
  await sql`drop index ${sql.table(INDEX)}`.execute(database.kysely)
  await work()
  await database.transaction(async (trx) => {
    await sql`set local maintenance_work_mem = '1GB'`.execute(trx)
    await sql.raw(rows[0]!.indexdef).execute(trx)
  })
}

/** Creates an archive of `count` passages with their vectors. */
export async function addPassages(
  database: Database,
  organizationId: string,
  count: number,
  onProgress: (text: string) => void,
): Promise<PassageArchive> {
  const topics = createTopics(1)
  const archiveId = newId('archive')
  await sql`insert into archives (organization_id, id, name, embedding_config, vector_db_provider, created_at, updated_at)
    values (${organizationId}, ${archiveId}, 'Passages', ${JSON.stringify(DEFAULT_EMBEDDING)}::jsonb, 'native', now(), now())
  `.execute(database.kysely)
  await withoutIndex(database, async () => {
    for (let start = 0; start < count; start += BATCH) {
      const length = Math.min(BATCH, count - start)
      const rows = Array.from({ length }, (_, n) => passageRow(topics, start + n))
      await insertBatch(database, organizationId, archiveId, rows)
      onProgress(`creating passages: ${start + length} of ${count}`)
    }
    onProgress(`indexing ${count} vectors`)
  })
  return { archiveId, topics }
}
