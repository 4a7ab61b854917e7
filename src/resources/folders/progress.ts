import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { files } from './schema.ts'
import type { FileRow } from './table.ts'

type Status = FileRow['processing_status']

/** The states that may follow each state of a file. The last two are final. */
export const NEXT: Record<Status, readonly Status[]> = {
  pending: ['parsing', 'error'],
  parsing: ['parsing', 'embedding', 'error'],
  embedding: ['embedding', 'completed', 'error'],
  completed: [],
  error: [],
}

type Progress = Pick<FileRow, 'processing_status'> &
  Partial<Pick<FileRow, 'error_message' | 'content' | 'total_chunks' | 'chunks_embedded'>>

/** The progress of a file when its work began. */
export type Seen = Pick<FileRow, 'processing_status'> & { chunks_embedded: number }

/**
 * Changes the progress of a file, and locks the file until the transaction ends. False for a deleted file, and for a state that
 * must not follow: the transaction must write nothing else then. Throws unless the progress is still the `seen` one: another
 * server processes the file.
 */
export async function advance(tx: Scope, id: string, progress: Progress, seen?: Seen): Promise<boolean> {
  const [file] = await tx.query<Seen>(sql`select processing_status, coalesce(chunks_embedded, 0) as chunks_embedded
    from files where organization_id = ${tx.organizationId} and id = ${id} for update`)
  if (!file || !NEXT[file.processing_status].includes(progress.processing_status)) return false
  if (seen && (seen.processing_status !== file.processing_status || seen.chunks_embedded !== file.chunks_embedded)) {
    throw new Error('Another server goes on with the file.')
  }
  await tx.update(files, id, progress)
  return true
}

const ofFile = (tx: Scope, id: string) => sql`where organization_id = ${tx.organizationId} and file_id = ${id}`

/** Deletes the passages of a file. */
export const deletePassages = (tx: Scope, id: string) => tx.query(sql`delete from passages ${ofFile(tx, id)}`)

/** Marks a file as completed, and deletes its bytes. */
export const complete = (scope: Scope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    if (!(await advance(tx, id, { processing_status: 'completed', error_message: null }))) return
    await tx.query(sql`delete from file_parts ${ofFile(tx, id)}`)
  })

/** Stores the error of an attempt that will be retried. */
export const setRetryReason = (scope: Scope, id: string, reason: string): Promise<boolean> =>
  scope.transaction((tx) => advance(tx, id, { processing_status: 'embedding', error_message: reason }))

/** Marks a file as failed, with the reason, and deletes its passages and bytes. */
export const fail = (scope: Scope, id: string, reason: string): Promise<void> =>
  scope.transaction(async (tx) => {
    if (!(await advance(tx, id, { processing_status: 'error', error_message: reason }))) return
    await deletePassages(tx, id)
    await tx.query(sql`delete from file_parts ${ofFile(tx, id)}`)
  })
