import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { BOUNDS, type Bounds } from '../files/fault.ts'
import { type Read, type Reading, readFile, type ToRead } from '../files/read.ts'
import { typeNamed, typeOf } from '../files/types.ts'
import { ApiError } from '../lib/errors.ts'
import { append, openTempFile } from '../lib/temp-file.ts'
import { isFinal } from '../llm/connection.ts'
import { showFile } from '../resources/agents/files/files.ts'
import { advance, complete, deletePassages, fail, noteTrouble, type Seen } from '../resources/folders/progress.ts'
import type { FileRow } from '../resources/folders/table.ts'
import { EMBEDDED } from '../resources/models/config.ts'
import { type Embedders, modelKey } from '../resources/models/embedding.ts'
import type { EmbeddingConfig } from '../resources/models/schema.ts'
import { embedTexts } from '../resources/passages/embed.ts'
import { insertPassages } from '../resources/passages/insert.ts'
import { insertVectors, type Vectors } from '../resources/passages/vectors.ts'
import type { Work } from './work.ts'

/** Each has a thread that may take half a gigabyte. */
const AT_ONCE = 2

type Held = Seen &
  Pick<FileRow, 'id' | 'source_id' | 'file_name' | 'file_type' | 'content'> & {
    total_chunks: number
    chunk_size: number | null
  }

/** The models a folder's passages are embedded with: the one asked for, and while it changes, the one that answers. */
interface Models {
  embedding_config: EmbeddingConfig
  serving_config: EmbeddingConfig | null
}

async function find(scope: Scope, id: string): Promise<Held | undefined> {
  const [file] = await scope.query<Held>(sql`
    select files.id, source_id, file_name, file_type, processing_status, content,
      coalesce(total_chunks, 0) as total_chunks, coalesce(chunks_embedded, 0) as chunks_embedded,
      (folders.embedding_config ->> 'embedding_chunk_size')::integer as chunk_size
    from files join folders on folders.organization_id = files.organization_id and folders.id = files.source_id
    where files.organization_id = ${scope.organizationId} and files.id = ${id}`)
  return file
}

/** Reads what was uploaded, a piece of it in memory at a time. */
async function readUploaded(scope: Scope, id: string, job: Omit<ToRead, 'from'>, signal: AbortSignal, bounds: Bounds) {
  const scratch = await openTempFile()
  try {
    for (let position = 0; ; position++) {
      const [part] = await scope.query<{ bytes: Buffer }>(sql`select bytes from file_parts
        where organization_id = ${scope.organizationId} and file_id = ${id} and position = ${position}`)
      if (!part) break
      await append(scratch, part.bytes)
    }
    return await readFile({ ...job, from: { fd: scratch.fd } }, signal, bounds)
  } finally {
    await scratch.close()
  }
}

/** Whether the passages that are there are the first of these chunks. */
async function fits(scope: Scope, file: Held, chunks: readonly string[]): Promise<boolean> {
  if (chunks.length !== file.total_chunks) return false
  if (file.chunks_embedded === 0) return true
  const [last] = await scope.query<{ text: string }>(sql`select text from passages
    where organization_id = ${scope.organizationId} and file_id = ${file.id} order by created_at desc, id desc limit 1`)
  return last?.text === chunks[file.chunks_embedded - 1]
}

async function modelsOf(scope: Scope, folderId: string, lock = sql``): Promise<Models | undefined> {
  const [models] = await scope.query<Models>(sql`select embedding_config, serving_config from folders
    where organization_id = ${scope.organizationId} and id = ${folderId} ${lock}`)
  return models
}

/** Keeps the text and begins with the passages, of which there are none then. False for a file that is gone. */
const begin = (scope: Scope, file: Held, { text, chunks, lines }: Read): Promise<boolean> =>
  scope.transaction(async (tx) => {
    // Before the file, as whoever deletes the folder holds them.
    if (!(await modelsOf(tx, file.source_id, sql`for share`))) return false
    const kept = { content: text, line_count: lines, total_chunks: chunks.length }
    const progress = { processing_status: 'embedding', ...kept, chunks_embedded: 0 } as const
    if (!(await advance(tx, file.id, progress, file))) return false
    await deletePassages(tx, file.id)
    if (text !== file.content) await showFile(tx, file)
    return true
  })

/** The vectors of some chunks by each of the folder's models. The one that is on its way out may fail. */
async function embed(scope: Scope, embedders: Embedders, models: Models, texts: string[], signal: AbortSignal) {
  const byModel = new Map<string, Vectors['vectors']>()
  for (const config of [models.embedding_config, models.serving_config]) {
    if (!config || byModel.has(modelKey(config))) continue
    try {
      const { model, vectors } = await embedTexts(scope, embedders, config, texts, signal)
      byModel.set(model, vectors)
    } catch (error) {
      if (config === models.embedding_config) throw error
    }
  }
  return byModel
}

/**
 * Stores a batch of chunks with their vectors. False when the folder has changed its model meanwhile: they must be
 * embedded again. Undefined for a file that is gone.
 */
const store = (scope: Scope, file: Held, texts: string[], done: number, vectors: Map<string, Vectors['vectors']>) =>
  scope.transaction(async (tx): Promise<boolean | undefined> => {
    // Held as it is: whoever changes the model finds these passages, or is found by them.
    const now = await modelsOf(tx, file.source_id, sql`for share`)
    if (!now) return undefined
    const wanted = modelKey(now.embedding_config)
    if (!vectors.has(wanted)) return false
    const chunks_embedded = done + texts.length
    const seen = { processing_status: 'embedding', chunks_embedded: done } as const
    if (!(await advance(tx, file.id, { ...seen, chunks_embedded, error_message: null }, seen))) return undefined
    const place = { source_id: file.source_id, file_id: file.id, file_name: file.file_name }
    const list = texts.map((text) => ({ text }))
    const made = await insertPassages(tx, place, list, { model: wanted, vectors: vectors.get(wanted)! })
    const serving = now.serving_config && modelKey(now.serving_config)
    if (serving && serving !== wanted && vectors.has(serving)) {
      const ids = made.map(({ id }) => id)
      await insertVectors(tx, file.source_id, ids, { model: serving, vectors: vectors.get(serving)! })
    }
    return true
  })

/** Embeds and stores the chunks from the `done`th on, batch by batch: what is committed is not done again. */
async function embedChunks(
  scope: Scope,
  embedders: Embedders,
  file: Held,
  chunks: readonly string[],
  done: number,
  signal: AbortSignal,
): Promise<void> {
  for (let at = done; at < chunks.length; ) {
    signal.throwIfAborted()
    const models = await modelsOf(scope, file.source_id)
    if (!models) return
    const texts = chunks.slice(at, at + (models.embedding_config.batch_size ?? EMBEDDED.batch_size))
    const stored = await store(scope, file, texts, at, await embed(scope, embedders, models, texts, signal))
    if (stored === undefined) return
    if (stored) at += texts.length
  }
  await complete(scope, file.id)
}

const OUR_FAULT = 'It could not be processed, for a fault of the server.'

/**
 * Makes passages of an uploaded file: reads it, keeps its text, cuts that into chunks and embeds them. Each step commits
 * with a mark of how far it got, so that a server that dies is followed by one that goes on from there. A file that
 * can't be read has an error and stays, and so has one whose embedding model refuses; a model that doesn't answer is asked
 * again later.
 */
export const processFile = (embedders: Embedders, bounds: Bounds = BOUNDS): Work<'process_file'> => ({
  concurrency: AT_ONCE,
  async handler(scope, { file_id }, signal) {
    const file = await find(scope, file_id)
    if (!file || ['completed', 'error'].includes(file.processing_status)) return
    const resumed = file.processing_status === 'embedding' && file.content !== null
    // A text that came with an agent file is there to be cut, whatever it was read from.
    const type = typeNamed(file.file_type ?? '') ?? (resumed ? typeOf('text/plain', file.file_name) : undefined)
    if (!type) return fail(scope, file_id, `It is of a type that can't be read: ${file.file_type}.`)
    const job = { type, kind: file, size: file.chunk_size ?? EMBEDDED.embedding_chunk_size }
    const reading: Reading = resumed
      ? await readFile({ ...job, from: { text: file.content! } }, signal, bounds)
      : await readUploaded(scope, file_id, job, signal, bounds)
    if ('fault' in reading) return fail(scope, file_id, reading.fault)
    const { chunks } = reading
    try {
      if (resumed && (await fits(scope, file, chunks))) {
        return await embedChunks(scope, embedders, file, chunks, file.chunks_embedded, signal)
      }
      if (await begin(scope, file, reading)) await embedChunks(scope, embedders, file, chunks, 0, signal)
    } catch (error) {
      if (isFinal(error)) return fail(scope, file_id, error.message)
      if (error instanceof ApiError) await noteTrouble(scope, file_id, error.message)
      throw error
    }
  },
  onExhausted: (scope, { file_id }, reason = OUR_FAULT) => fail(scope, file_id, reason),
})
