import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { advance, complete } from '../resources/folders/progress.ts'
import { EMBEDDED } from '../resources/models/config.ts'
import { type Embedders, modelKey } from '../resources/models/embedding.ts'
import type { EmbeddingConfig } from '../resources/models/schema.ts'
import { embedTexts } from '../resources/passages/embed.ts'
import { insertPassages } from '../resources/passages/insert.ts'
import { insertVectors, type Vectors } from '../resources/passages/vectors.ts'
import type { UploadedFile } from './uploaded-file.ts'

/** The models that embed a folder's passages: the requested one, and the one that serves searches meanwhile. */
interface Models {
  embedding_config: EmbeddingConfig
  serving_config: EmbeddingConfig | null
}

/** The models of a folder, or undefined without the folder. `lock`: SQL of a lock on the folder. */
export async function modelsOf(scope: Scope, folderId: string, lock = sql``): Promise<Models | undefined> {
  const [models] = await scope.query<Models>(sql`select embedding_config, serving_config from folders
    where organization_id = ${scope.organizationId} and id = ${folderId} ${lock}`)
  return models
}

/** The vectors of chunks by each of the folder's models. An error of the model that is being replaced is ignored. */
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
 * Stores a batch of chunks with their vectors. False when the folder has changed its model meanwhile, so that the chunks must
 * be embedded again. Undefined for a deleted file.
 */
const store = (
  scope: Scope,
  file: UploadedFile,
  texts: string[],
  done: number,
  vectors: Map<string, Vectors['vectors']>,
) =>
  scope.transaction(async (tx): Promise<boolean | undefined> => {
    // UploadedFile as it is: whoever changes the model finds these passages, or is found by them.
    const models = await modelsOf(tx, file.source_id, sql`for share`)
    if (!models) return undefined
    const requested = modelKey(models.embedding_config)
    if (!vectors.has(requested)) return false
    const chunks_embedded = done + texts.length
    const seen = { processing_status: 'embedding', chunks_embedded: done } as const
    if (!(await advance(tx, file.id, { ...seen, chunks_embedded, error_message: null }, seen))) return undefined
    const parent = { source_id: file.source_id, file_id: file.id, file_name: file.file_name }
    const list = texts.map((text) => ({ text }))
    const made = await insertPassages(tx, parent, list, { model: requested, vectors: vectors.get(requested)! })
    const serving = models.serving_config && modelKey(models.serving_config)
    if (serving && serving !== requested && vectors.has(serving)) {
      const ids = made.map(({ id }) => id)
      await insertVectors(tx, file.source_id, ids, { model: serving, vectors: vectors.get(serving)! })
    }
    return true
  })

/** Embeds and stores the chunks from index `done` on, batch by batch. Each batch is committed by itself. */
export async function embedChunks(
  scope: Scope,
  embedders: Embedders,
  file: UploadedFile,
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
