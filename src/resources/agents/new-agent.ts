import { checkAll } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import type { Catalog } from '../models/handles.ts'
import type { CreateAgent } from './body.ts'
import { embeddingOf, fileLimitsOf, modelOf, settingsOf } from './model.ts'
import { randomName } from './names.ts'
import { promptOf } from './prompts.ts'
import { type AgentType, DEFAULT_TYPE } from './schema.ts'
import { checkTimezone, TIMEZONE } from './timezone.ts'

/** An agent with this tag works for another one and doesn't show in lists. */
const SUBAGENT_TAG = 'role:subagent'

/** Whether an agent of this type forgets previous messages by default. */
export const forgets = (type: AgentType) => type === 'workflow_agent'

/** A body that names a model. */
export const withModel = <B extends Pick<CreateAgent, 'model' | 'llm_config'>>(body: B, defaultModel: string): B =>
  body.model || body.llm_config ? body : { ...body, model: defaultModel }

/**
 * The row of a new agent, but for its id and what its attachments decide: rules and messages. 422 for a model, a time
 * zone or a number that can't be.
 */
export function newAgent(catalog: Catalog, body: CreateAgent, defaultModel: string) {
  const type = body.agent_type ?? DEFAULT_TYPE
  const [{ model, llm_config }, embedding] = checkAll(
    () => modelOf(catalog, withModel(body, defaultModel), undefined),
    () => embeddingOf(catalog, body),
    () => checkTimezone(body.timezone),
  )
  const tags = [...new Set(body.tags ?? [])]
  const limits = fileLimitsOf(llm_config!.context_window)
  return {
    name: body.name ?? randomName(),
    agent_type: type,
    system: body.system ?? promptOf(type),
    tags,
    description: body.description,
    metadata: body.metadata,
    model,
    llm_config,
    model_settings: settingsOf(body.model_settings, llm_config!),
    ...embedding,
    compaction_settings: omitNulls(body.compaction_settings, 'json_schema'),
    response_format: omitNulls(body.response_format, 'json_schema'),
    message_buffer_autoclear: forgets(type) || (body.message_buffer_autoclear ?? false),
    enable_sleeptime: body.enable_sleeptime,
    timezone: body.timezone ?? TIMEZONE,
    max_files_open: body.max_files_open ?? limits.max_files_open,
    per_file_view_window_char_limit: body.per_file_view_window_char_limit ?? limits.per_file_view_window_char_limit,
    hidden: tags.includes(SUBAGENT_TAG) ? true : body.hidden,
    project_id: body.project_id,
    template_id: body.template_id,
    base_template_id: body.base_template_id,
    deployment_id: body.deployment_id,
    entity_id: body.entity_id,
  }
}
