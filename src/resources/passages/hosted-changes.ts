import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { StoreEntry } from '../../embed/vector-store.ts'

/** The passages of one batch, and the bytes of their texts, unless a single text has more. */
const AT_ONCE = 500
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** A vector that was inserted or deleted or whose passage got other tags, and the number of such changes. */
export interface Change {
  id: string
  changes: number
}

/** Notes that the hosted store of an archive, if it has one, is to write the vectors of a passage again. */
export async function noteChange(scope: Scope, archiveId: string, passageId: string): Promise<void> {
  await scope.query(sql`
    update hosted_vectors set changes = changes + 1
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and passage_id = ${passageId}
    returning 1`)
}

/** The next batch of vectors whose changes the store hasn't seen, by passage id, beyond `after`. */
export async function nextChanges(scope: Scope, archiveId: string, model: string, after: string): Promise<Change[]> {
  const due = await scope.query<Change & { bytes: number | null }>(sql`
    select passage_id as id, changes, (select octet_length(text) from passages
      where passages.organization_id = ${scope.organizationId} and passages.id = passage_id) as bytes
    from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model}
      and changes > synced and passage_id > ${after}
    order by passage_id limit ${AT_ONCE}`)
  let bytes = 0
  const over = due.findIndex((change) => {
    bytes += change.bytes ?? 0
    return bytes > BYTES_AT_ONCE
  })
  return over < 0 ? due : due.slice(0, Math.max(over, 1))
}

/** The passages among `ids` that have a vector of the model, as entries of a store. */
export async function entriesOf(scope: Scope, model: string, ids: readonly string[]): Promise<StoreEntry[]> {
  const rows = await scope.query<
    Pick<StoreEntry, 'id' | 'text' | 'tags'> & { embedding: string; created_at: string }
  >(sql`
    select passages.id, embedding::text as embedding, text, tags, created_at
    from passages join embeddings
      on embeddings.organization_id = passages.organization_id and embeddings.passage_id = passages.id
    where passages.organization_id = ${scope.organizationId} and passages.id = any(${ids}::text[])
      and embeddings.organization_id = ${scope.organizationId} and embeddings.passage_id = any(${ids}::text[])
      and embeddings.model = ${model}`)
  return rows.map(({ embedding, created_at, ...row }) => ({
    ...row,
    vector: JSON.parse(embedding) as number[],
    created_at: new Date(created_at),
  }))
}

/** Marks changes as seen by the store. Later changes of the same vectors stay due. */
export async function markSynced(
  scope: Scope,
  archiveId: string,
  model: string,
  { written, removed }: { written: Change[]; removed: Change[] },
): Promise<void> {
  const seen = (list: Change[]) =>
    sql`unnest(${list.map(({ id }) => id)}::text[], ${list.map(({ changes }) => changes)}::int[]) as seen (id, changes)`
  const isSeen = sql`organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model}
    and passage_id = seen.id`
  if (written.length > 0) {
    await scope.query(sql`update hosted_vectors set synced = seen.changes from ${seen(written)} where ${isSeen}`)
  }
  if (removed.length > 0) {
    await scope.query(sql`
      delete from hosted_vectors using ${seen(removed)} where ${isSeen} and hosted_vectors.changes = seen.changes`)
  }
}
