import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { BOUNDS, type Bounds } from '../files/fault.ts'
import { type Read, type Reading, readFile } from '../files/read.ts'
import { typeNamed, typeOf } from '../files/types.ts'
import { ApiError } from '../lib/errors.ts'
import { isFinal } from '../llm/connection.ts'
import { showFile } from '../resources/agents/files/show-files.ts'
import { advance, deletePassages, fail, setRetryReason } from '../resources/folders/progress.ts'
import { EMBEDDED } from '../resources/models/config.ts'
import type { Embedders } from '../resources/models/embedding.ts'
import { embedChunks, modelsOf } from './embed-chunks.ts'
import { findFile, readUpload, type UploadedFile } from './uploaded-file.ts'
import type { Work } from './work.ts'

/** Files that one server processes at once: each has a thread with up to half a gigabyte. */
const CONCURRENCY = 2

/** Whether the stored passages are the first of these chunks. */
async function isResumable(scope: Scope, file: UploadedFile, chunks: readonly string[]): Promise<boolean> {
  if (chunks.length !== file.total_chunks) return false
  if (file.chunks_embedded === 0) return true
  const [last] = await scope.query<{ text: string }>(sql`select text from passages
    where organization_id = ${scope.organizationId} and file_id = ${file.id} order by created_at desc, id desc limit 1`)
  return last?.text === chunks[file.chunks_embedded - 1]
}

/** Stores the text, and deletes passages of an earlier attempt. False for a deleted file. */
const begin = (scope: Scope, file: UploadedFile, { text, chunks, lines }: Read): Promise<boolean> =>
  scope.transaction(async (tx) => {
    // Locked before the file, in the order of a deletion of the folder.
    if (!(await modelsOf(tx, file.source_id, sql`for share`))) return false
    const columns = { content: text, line_count: lines, total_chunks: chunks.length }
    const progress = { processing_status: 'embedding', ...columns, chunks_embedded: 0 } as const
    if (!(await advance(tx, file.id, progress, file))) return false
    await deletePassages(tx, file.id)
    if (text !== file.content) await showFile(tx, file)
    return true
  })

const OUR_FAULT = 'It could not be processed, for a fault of the server.'

/**
 * Makes passages of an uploaded file: reads it, stores its text, and embeds the text in chunks. Each step commits with a mark of
 * the progress, from which the next server continues. A file that can't be read gets an error and stays, and so does a file
 * whose embedding model refuses; a model that doesn't respond is retried later.
 */
export const processFile = (embedders: Embedders, bounds: Bounds = BOUNDS): Work<'process_file'> => ({
  concurrency: CONCURRENCY,
  async handler(scope, { file_id }, signal) {
    const file = await findFile(scope, file_id)
    if (!file || ['completed', 'error'].includes(file.processing_status)) return
    const resumed = file.processing_status === 'embedding' && file.content !== null
    // The text of an imported agent's file can be chunked, whatever type the file had.
    const type = typeNamed(file.file_type ?? '') ?? (resumed ? typeOf('text/plain', file.file_name) : undefined)
    if (!type) return fail(scope, file_id, `It is of a type that can't be read: ${file.file_type}.`)
    const job = { type, kind: file, size: file.chunk_size ?? EMBEDDED.embedding_chunk_size }
    const reading: Reading = resumed
      ? await readFile({ ...job, from: { text: file.content! } }, signal, bounds)
      : await readUpload(scope, file_id, job, signal, bounds)
    if ('fault' in reading) return fail(scope, file_id, reading.fault)
    const { chunks } = reading
    try {
      if (resumed && (await isResumable(scope, file, chunks))) {
        return await embedChunks(scope, embedders, file, chunks, file.chunks_embedded, signal)
      }
      if (await begin(scope, file, reading)) await embedChunks(scope, embedders, file, chunks, 0, signal)
    } catch (error) {
      if (isFinal(error)) return fail(scope, file_id, error.message)
      if (error instanceof ApiError) await setRetryReason(scope, file_id, error.message)
      throw error
    }
  },
  onExhausted: (scope, { file_id }, reason = OUR_FAULT) => fail(scope, file_id, reason),
})
