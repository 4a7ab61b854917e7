import { randomInt } from 'node:crypto'
import type { Scope } from '../../db/scope.ts'
import type { Columns, Tables } from '../../db/tables.ts'
import { countLines } from '../../files/lines.ts'
import { faultsOf, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { idAt, newId } from '../../lib/ids.ts'
import { withoutNulls } from '../../lib/json.ts'
import type { CreateAgent } from '../agents/body.ts'
import { newAgent, withModel } from '../agents/insert.ts'
import { asParts, firstMessages, type NewMessage } from '../agents/messages.ts'
import { catalogFor, embeddingOf, modelOf } from '../agents/model.ts'
import { suffixedName } from '../agents/names.ts'
import { newBlock } from '../blocks/blocks.ts'
import type { CreateBlock } from '../blocks/schema.ts'
import { newGroup } from '../groups/groups.ts'
import type { CreateGroup } from '../groups/schema.ts'
import { unusable } from '../models/embedding.ts'
import { DEFAULT_EMBEDDING, embeddingConfigIn } from '../models/handles.ts'
import { joinPlaces } from './fit.ts'
import type { AgentFileParts, MessageEntry, Placed, PlacedAgent } from './schema.ts'

export interface ImportOptions {
  name?: string | undefined
  append_copy_suffix?: boolean | undefined
  model?: string | undefined
  embedding?: string | undefined
  project_id?: string | undefined
  secrets: Record<string, string>
  override_existing_tools: boolean
  strip_messages: boolean
}

/** A planned row, with the id it will have. */
type Row<T extends keyof Tables> = Columns<T> & { id: string }

/** The rows a file becomes, but for its tools and the names of its folders, which depend on what is there already. */
export interface Plan {
  agents: (Row<'agents'> & { from: PlacedAgent; name: string; block_ids: string[]; source_ids: string[] })[]
  blocks: Row<'blocks'>[]
  folders: (Row<'folders'> & { name: string })[]
  files: Row<'files'>[]
  openFiles: Row<'files_agents'>[]
  groups: (Row<'groups'> & { agent_ids: string[]; shared_block_ids: string[] })[]
  messages: Map<string, NewMessage[]>
  secrets: Map<string, Record<string, string>>
}

const ZONED = /(Z|[+-]\d\d:\d\d)$/i

/** An instant as files have it: ISO 8601, of UTC where it names no zone. */
function instantIn(text: string): Date | undefined {
  const iso = text.trim().replace(' ', 'T')
  const instant = new Date(ZONED.test(iso) ? iso : `${iso}Z`)
  return /^\d{4}-\d\d-\d\dT/.test(iso) && instant.getTime() >= 0 ? instant : undefined
}

/** The ids the parts of a file get. */
const idsFor = (prefix: Parameters<typeof newId>[0], parts: readonly { id: string }[]) =>
  new Map(parts.map(({ id }) => [id, newId(prefix)]))

/** Plans what a file becomes under these options. 422 with the place of every fault. */
export async function planImport(
  scope: Scope,
  file: AgentFileParts,
  options: ImportOptions,
  defaultModel: string,
): Promise<Plan> {
  const given = { model: options.model, embedding: options.embedding }
  const bodies = file.agents.map((agent) => withModel(bodyOf(agent, options), defaultModel))
  const asked = file.sources.map(({ embedding, embedding_config }) =>
    options.embedding ? { embedding: options.embedding } : usableOf({ embedding, embedding_config }),
  )
  const catalog = await catalogFor(scope, [given, ...bodies, ...asked])
  if (options.model) modelOf(catalog, given, undefined)
  if (options.embedding) embeddingOf(catalog, given)
  const ids = {
    agents: idsFor('agent', file.agents),
    blocks: idsFor('block', file.blocks),
    sources: idsFor('source', file.sources),
    files: idsFor('file', file.files),
    groups: idsFor('group', file.groups),
  }
  const faults: ValidationIssue[] = []
  /** What `work` makes of the part at a place; its faults are told there. */
  function at<T>(place: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      for (const fault of faultsOf(error)) faults.push({ ...fault, field: joinPlaces(place, fault.field) })
      return undefined
    }
  }

  const plan: Plan = {
    agents: [],
    blocks: [],
    folders: [],
    files: [],
    openFiles: [],
    groups: [],
    messages: new Map(),
    secrets: new Map(),
  }
  const addBlock = (place: string, id: string, body: Partial<CreateBlock> & { value: string }) =>
    at(place, () => plan.blocks.push({ ...newBlock(body as CreateBlock), id }))

  for (const { at: place, id, ...body } of file.blocks) addBlock(place, ids.blocks.get(id)!, body)

  for (const [n, source] of file.sources.entries()) {
    const { at: place, id, embedding: _embedding, embedding_config: _config, embedding_chunk_size, ...body } = source
    at(place, () => {
      const config = embeddingConfigIn(catalog, asked[n]!) ?? DEFAULT_EMBEDDING
      plan.folders.push({
        ...body,
        id: ids.sources.get(id)!,
        embedding_config: embedding_chunk_size ? { ...config, embedding_chunk_size } : config,
      })
    })
  }

  for (const { at: _, id, source_id, ...body } of file.files) {
    // Embeddings don't travel: whatever was done with the text is to be done again.
    const again = {
      processing_status: body.content == null ? ('pending' as const) : ('embedding' as const),
      error_message: undefined,
      total_chunks: body.content == null ? undefined : 0,
      chunks_embedded: body.content == null ? undefined : 0,
    }
    const file_name = body.file_name ?? body.original_file_name ?? id
    const line_count = body.content == null ? undefined : countLines(body.content, { ...body, file_name })
    const places = { id: ids.files.get(id)!, source_id: ids.sources.get(source_id)! }
    plan.files.push({ ...body, ...again, file_name, line_count, ...places })
  }
  const folderOf = new Map(file.files.map(({ id, source_id }) => [id, ids.sources.get(source_id)!]))

  const sleepers = new Set(
    file.groups
      .filter(({ manager_config }) => manager_config?.manager_type?.endsWith('sleeptime'))
      .map(({ manager_config }) => manager_config!.manager_agent_id),
  )
  for (const [n, agent] of file.agents.entries()) {
    const id = ids.agents.get(agent.id)!
    const row = at(agent.at, () => newAgent(catalog, bodies[n]!, defaultModel))
    const inline = (agent.memory_blocks ?? []).map((body, index) => {
      const made = newId('block')
      addBlock(joinPlaces(agent.at, `memory_blocks[${index}]`), made, body)
      return made
    })
    const opened = (agent.files_agents ?? []).map((open) => ({
      id: newId('file_agent'),
      agent_id: id,
      file_id: ids.files.get(open.file_id)!,
      source_id: folderOf.get(open.file_id)!,
      block_id: newId('block'),
      is_open: open.is_open ?? false,
      visible_content: open.visible_content,
      start_line: open.start_line,
      end_line: open.end_line,
      last_accessed_at: open.last_accessed_at == null ? undefined : instantIn(open.last_accessed_at)?.toISOString(),
      created_at: new Date().toISOString(),
    }))
    plan.openFiles.push(...new Map(opened.map((open) => [open.file_id, open])).values())
    if (!row) continue
    const { messages, message_ids } = messagesOf(agent, row.system, options.strip_messages, ids, faults)
    const secrets = { ...agent.tool_exec_environment_variables, ...agent.secrets, ...options.secrets }
    plan.messages.set(id, messages)
    plan.secrets.set(id, Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, value ?? ''])))
    plan.agents.push({
      ...row,
      id,
      from: agent,
      tool_rules: withoutNulls(agent.tool_rules),
      message_ids,
      // What the file says holds, even where a new agent would be given something else.
      hidden: agent.hidden ?? row.hidden,
      enable_sleeptime: sleepers.has(agent.id) || agent.enable_sleeptime,
      block_ids: [...(agent.block_ids ?? []).map((block) => ids.blocks.get(block)!), ...inline],
      source_ids: [
        ...new Set([
          ...(agent.folder_ids?.length ? agent.folder_ids : (agent.source_ids ?? [])).map((it) => ids.sources.get(it)!),
          ...opened.map(({ source_id }) => source_id),
        ]),
      ],
    })
  }

  const nameOf = new Map(plan.agents.map(({ id, name }) => [id, name]))
  for (const { at: place, id, agent_ids, shared_block_ids, manager_config, ...body } of file.groups) {
    at(place, () => {
      const manager = manager_config && {
        ...manager_config,
        ...(manager_config.manager_agent_id && {
          manager_agent_id: ids.agents.get(manager_config.manager_agent_id)!,
        }),
      }
      const members = [...new Set(agent_ids)].map((member) => ids.agents.get(member)!)
      const names = members.map((member) => nameOf.get(member))
      if (manager?.manager_type === 'dynamic' && new Set(names).size < names.length) {
        throw invalid(inBody('agent_ids', "has agents of the same name: a dynamic manager can't tell them apart"))
      }
      plan.groups.push({
        ...newGroup({ ...body, manager_config: manager } as Omit<CreateGroup, 'agent_ids'>),
        id: ids.groups.get(id)!,
        agent_ids: members,
        shared_block_ids: [...new Set(shared_block_ids)].map((block) => ids.blocks.get(block)!),
      })
    })
  }
  if (faults.length > 0) throw invalid(...faults)
  return plan
}

/** What a file says of an embedding model, or nothing when this server can't use it: the built-in one stands in for it. */
const usableOf = <T extends Pick<CreateAgent, 'embedding' | 'embedding_config'>>(said: T): Partial<T> =>
  said.embedding_config && unusable(said.embedding_config) ? {} : said

/** An agent of a file as the body of a create call, for what the two have in common. */
function bodyOf(agent: PlacedAgent, options: ImportOptions): CreateAgent {
  const { llm_config, embedding_config, model_settings } = agent
  const provider = options.model?.slice(0, options.model.indexOf('/'))
  const name =
    options.name ?? (agent.name && options.append_copy_suffix ? suffixedName(agent.name, '_copy') : agent.name)
  return {
    name,
    agent_type: agent.agent_type,
    system: agent.system,
    tags: agent.tags,
    description: agent.description,
    metadata: agent.metadata,
    // Settings are for a provider: with another one they would mean nothing.
    model_settings: provider && model_settings?.provider_type !== provider ? undefined : model_settings,
    compaction_settings: agent.compaction_settings,
    response_format: agent.response_format,
    message_buffer_autoclear: agent.message_buffer_autoclear,
    timezone: agent.timezone,
    max_files_open: agent.max_files_open,
    per_file_view_window_char_limit: agent.per_file_view_window_char_limit,
    hidden: agent.hidden,
    project_id: options.project_id,
    // A configuration says all there is to say: files repeat some of it beside it, at values nobody chose.
    ...(options.model
      ? { model: options.model }
      : llm_config
        ? { llm_config, model: agent.model }
        : {
            model: agent.model,
            context_window_limit: agent.context_window_limit,
            max_tokens: agent.max_tokens,
            max_reasoning_tokens: agent.max_reasoning_tokens,
            enable_reasoner: agent.enable_reasoner,
            reasoning: agent.reasoning,
            parallel_tool_calls: agent.parallel_tool_calls,
          }),
    ...(options.embedding
      ? { embedding: options.embedding }
      : embedding_config
        ? usableOf({ embedding_config, embedding: agent.embedding })
        : { embedding: agent.embedding, embedding_chunk_size: agent.embedding_chunk_size }),
  }
}

/** The messages of an agent, with ids that hold when each was said, and which of them are in context. */
function messagesOf(
  agent: PlacedAgent,
  system: string,
  strip: boolean,
  ids: Record<'agents' | 'groups', Map<string, string>>,
  faults: ValidationIssue[],
): { messages: NewMessage[]; message_ids: string[] } {
  if (strip || agent.messages.length === 0) {
    const messages = firstMessages(system, strip ? [] : (agent.initial_message_sequence ?? []))
    return { messages, message_ids: messages.map(({ id }) => id) }
  }
  // Those of one instant keep the order of the file.
  const first = randomInt(2 ** 31)
  const now = new Date()
  const own = new Map(
    agent.messages.map(({ id, at, created_at }, n) => {
      const said = created_at == null ? now : instantIn(created_at)
      if (!said) faults.push(inBody(joinPlaces(at, 'created_at'), 'must be a date and time since 1970, as in ISO 8601'))
      return [id, idAt('message', said ?? now, first + n)]
    }),
  )
  const context = agent.in_context_message_ids ?? agent.messages.map(({ id }) => id)
  return {
    messages: agent.messages.map((message) => asMessage(message, own, ids)),
    message_ids: context.map((id) => own.get(id)!),
  }
}

function asMessage(
  {
    at: _,
    agent_id: __,
    id,
    content,
    text,
    created_at: ___,
    sender_id,
    group_id,
    approval_request_id,
    ...rest
  }: Placed<MessageEntry>,
  own: ReadonlyMap<string, string>,
  ids: Record<'agents' | 'groups', Map<string, string>>,
): NewMessage {
  return {
    ...rest,
    id: own.get(id)!,
    content: asParts((content ?? text ?? []) as never),
    sender_id: (sender_id && ids.agents.get(sender_id)) ?? sender_id,
    group_id: group_id && ids.groups.get(group_id),
    approval_request_id: (approval_request_id && own.get(approval_request_id)) ?? approval_request_id,
  }
}
