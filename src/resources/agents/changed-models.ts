import type { Scope } from '../../db/scope.ts'
import { checkAll } from '../../lib/errors.ts'
import type { LlmConfig } from '../models/schema.ts'
import type { UpdateAgent } from './body.ts'
import { catalogFor, embeddingOf, handleOf, modelOf, settingsOf } from './model.ts'
import type { AgentRowWire } from './schema.ts'

/** A body that chooses another model by its handle, with the settings that the agent has; any other body as it is. */
const withSettings = (body: UpdateAgent, { model_settings }: AgentRowWire): UpdateAgent =>
  body.model && !body.llm_config ? { model_settings, ...body } : body

/** The settings of the model after a change of the settings or of the model; undefined where neither changes. */
function changedSettings(current: AgentRowWire, { model_settings }: UpdateAgent, llm_config: LlmConfig) {
  if (model_settings === undefined && llm_config === current.llm_config) return undefined
  const isOther = llm_config.model_endpoint_type !== current.llm_config.model_endpoint_type
  return settingsOf(model_settings === undefined && !isOther ? current.model_settings : model_settings, llm_config)
}

/** The models that the body chooses, and their configurations. 422 as `modelOf` and `embeddingOf`. */
export async function changedModels(tx: Scope, current: AgentRowWire, body: UpdateAgent) {
  const { embedding, embedding_config, embedding_chunk_size } = body
  const chunked = embedding_chunk_size && !embedding ? current.embedding_config : undefined
  const embeddingBody = {
    embedding,
    embedding_config: embedding_config ?? chunked ?? embedding_config,
    embedding_chunk_size,
  }
  const catalog = await catalogFor(tx, [{ model: body.model, llm_config: body.llm_config, ...embeddingBody }])
  const [{ llm_config = current.llm_config, model }, embeddingColumns] = checkAll(
    // Another model takes over the temperature and the length of its responses.
    () => modelOf(catalog, withSettings(body, current), current.llm_config),
    () => embeddingOf(catalog, embeddingBody),
  )
  const model_settings = changedSettings(current, body, llm_config)
  return { model: body.model === null ? handleOf(llm_config) : model, llm_config, model_settings, ...embeddingColumns }
}
