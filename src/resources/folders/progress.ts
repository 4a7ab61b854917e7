import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { files } from './schema.ts'
import type { FileRow } from './table.ts'

type Status = FileRow['processing_status']

/** Where a file may go from each of its states. Nothing leaves the last two. */
export const NEXT: Record<Status, readonly Status[]> = {
  pending: ['parsing', 'error'],
  parsing: ['parsing', 'embedding', 'error'],
  embedding: ['embedding', 'completed', 'error'],
  completed: [],
  error: [],
}

type Progress = Pick<FileRow, 'processing_status'> &
  Partial<Pick<FileRow, 'error_message' | 'content' | 'total_chunks' | 'chunks_embedded'>>

/** How far a file was when its work began. */
export type Seen = Pick<FileRow, 'processing_status'> & { chunks_embedded: number }

/**
 * Moves a file on, within a transaction, which holds it from here on. False for one that may not go there, or isn't
 * there any more: what was to come with it must not be. Throws when it is not as it was `seen`: another server has gone
 * on with it.
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

const of = (tx: Scope, id: string) => sql`where organization_id = ${tx.organizationId} and file_id = ${id}`

export const deletePassages = (tx: Scope, id: string) => tx.query(sql`delete from passages ${of(tx, id)}`)

/** All of it is there. The bytes have done their part. */
export const complete = (scope: Scope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    if (!(await advance(tx, id, { processing_status: 'completed', error_message: null }))) return
    await tx.query(sql`delete from file_parts ${of(tx, id)}`)
  })

/** What goes wrong at the moment, and is tried again. */
export const noteTrouble = (scope: Scope, id: string, reason: string): Promise<boolean> =>
  scope.transaction((tx) => advance(tx, id, { processing_status: 'embedding', error_message: reason }))

/** Nothing will come of it: it stays with the reason, and without passages. */
export const fail = (scope: Scope, id: string, reason: string): Promise<void> =>
  scope.transaction(async (tx) => {
    if (!(await advance(tx, id, { processing_status: 'error', error_message: reason }))) return
    await deletePassages(tx, id)
    await tx.query(sql`delete from file_parts ${of(tx, id)}`)
  })
