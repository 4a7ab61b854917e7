import type { Scope } from '../../db/scope.ts'
import type { Columns } from '../../db/tables.ts'
import { omitNulls } from '../../lib/json.ts'
import type { UpdateAgent } from './body.ts'
import { changedModels } from './changed-models.ts'
import { fileLimitsOf } from './model.ts'
import { forgets } from './new-agent.ts'
import { type AgentRowWire, agents } from './schema.ts'
import { TIMEZONE } from './timezone.ts'

/** The value of a field that null resets to its default. */
const orDefault = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value)

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
