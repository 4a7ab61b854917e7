import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { Bounds } from '../files/fault.ts'
import { readFile, type ToRead } from '../files/read.ts'
import { append, openTempFile } from '../lib/temp-file.ts'
import type { Seen } from '../resources/folders/progress.ts'
import type { FileRow } from '../resources/folders/table.ts'

/** A file of a folder, with its progress and the folder's chunk size. */
export type UploadedFile = Seen &
  Pick<FileRow, 'id' | 'source_id' | 'file_name' | 'file_type' | 'content'> & {
    total_chunks: number
    chunk_size: number | null
  }

/** A file, or undefined. */
export async function findFile(scope: Scope, id: string): Promise<UploadedFile | undefined> {
  const [file] = await scope.query<UploadedFile>(sql`
    select files.id, source_id, file_name, file_type, processing_status, content,
      coalesce(total_chunks, 0) as total_chunks, coalesce(chunks_embedded, 0) as chunks_embedded,
      (folders.embedding_config ->> 'embedding_chunk_size')::integer as chunk_size
    from files join folders on folders.organization_id = ${scope.organizationId} and folders.id = files.source_id
    where files.organization_id = ${scope.organizationId} and files.id = ${id}`)
  return file
}

/** Reads an uploaded file. One part of its bytes is in memory at a time. */
export async function readUpload(
  scope: Scope,
  id: string,
  job: Omit<ToRead, 'from'>,
  signal: AbortSignal,
  bounds: Bounds,
) {
  const tempFile = await openTempFile()
  try {
    for (let position = 0; ; position++) {
      const [part] = await scope.query<{ bytes: Buffer }>(sql`select bytes from file_parts
        where organization_id = ${scope.organizationId} and file_id = ${id} and position = ${position}`)
      if (!part) break
      await append(tempFile, part.bytes)
    }
    return await readFile({ ...job, from: { fd: tempFile.fd } }, signal, bounds)
  } finally {
    await tempFile.close()
  }
}
