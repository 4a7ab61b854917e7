import type { Scope } from '../../db/scope.ts'
import type { Columns } from '../../db/tables.ts'
import { checkAll } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import type { LlmConfig } from '../models/schema.ts'
import type { UpdateAgent } from './body.ts'
import { catalogFor, embeddingOf, fileLimitsOf, handleOf, modelOf, settingsOf } from './model.ts'
import { forgets, TIMEZONE } from './new-agent.ts'
import { type AgentRowWire, agents } from './schema.ts'

/** The value of a field that null resets to its default. */
const orDefault = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value)

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
async function changedModels(tx: Scope, current: AgentRowWire, body: UpdateAgent) {
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

/** The columns that the body changes, but for its rules. Columns that always have a value return to their default on null. */
export async function changedColumns(tx: Scope, current: AgentRowWire, body: UpdateAgent) {
  // It holds: a column of an agent has the type of the field of its name.
  const own = Object.fromEntries(
    Object.entries(body).filter(([field]) => agents.columns.includes(field)),
  ) as Columns<'agents'>
  const models = await changedModels(tx, current, body)
  const limits = fileLimitsOf(models.llm_config.context_window)
  return {
    ...own,
    ...models,
    response_format: omitNulls(body.response_format, 'json_schema'),
    pending_approval: omitNulls(body.pending_approval),
    // The one setting that is patched field by field: to change a number, nobody wants to repeat the prompt.
    compaction_settings:
      body.compaction_settings &&
      omitNulls({ ...current.compaction_settings, ...body.compaction_settings }, 'json_schema'),
    tags: body.tags === undefined ? undefined : [...new Set(body.tags ?? [])],
    message_ids: orDefault(body.message_ids, []),
    message_buffer_autoclear: orDefault(body.message_buffer_autoclear, forgets(current.agent_type)),
    timezone: orDefault(body.timezone, TIMEZONE),
    max_files_open: orDefault(body.max_files_open, limits.max_files_open),
    per_file_view_window_char_limit: orDefault(
      body.per_file_view_window_char_limit,
      limits.per_file_view_window_char_limit,
    ),
  }
}
