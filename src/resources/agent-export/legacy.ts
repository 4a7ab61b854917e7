import { inBody, invalid } from '../../lib/errors.ts'

/** Agent files before the format had sections: one agent, with what it has inside it. */

type Json = Record<string, unknown>

/** A part of a file, and where it stands there. */
export interface Part {
  at: string
  value: unknown
}

/** The parts of a file by the section the current format has them in. An agent's messages are parts of their own. */
export interface Sections {
  /** Where a part stands that the file has another name for. */
  renamed: ReadonlyMap<string, string>
  agents: (Part & { messages: Part[] })[]
  blocks: Part[]
  tools: Part[]
  groups: Part[]
  sources: Part[]
  files: Part[]
}

/** The most parts of one section of a file. */
const MAX_PARTS = 10_000

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The parts of a list, each object among them changed by `change`. Left out or null, a list is empty. */
export function partsOf(value: unknown, at: string, change = (part: Json, _n: number): Json => part): Part[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(inBody(at, 'must be an array'))
  if (value.length > MAX_PARTS) throw invalid(inBody(at, `must have at most ${MAX_PARTS} items`))
  return value.map((part, n) => ({ at: `${at}[${n}]`, value: isObject(part) ? change(part, n) : part }))
}

export const isLegacy = (file: Json) => !('agents' in file) && ('core_memory' in file || 'agent_type' in file)

/**
 * The parts of a file of the older format, as the current one would have them. The check that
 * all files go through reports their issues, at their places in this file. 422 for a section that isn't a list.
 */
export function sectionsOfLegacy(file: Json): Sections {
  const { core_memory, messages, tools, tags, metadata_, in_context_message_indices, ...agent } = file
  const {
    tool_exec_environment_variables: variables,
    multi_agent_group: _group,
    version: _version,
    groups: _groups,
    ...own
  } = agent
  const blocks = partsOf(core_memory, 'core_memory', ({ metadata_, ...block }, n) => ({
    ...block,
    metadata: block.metadata ?? metadata_,
    id: `block-${n}`,
  }))
  const numbered = partsOf(tools, 'tools', (tool, n) => ({ ...tool, id: `tool-${n}` }))
  const said = partsOf(messages, 'messages', (message, n) => ({ ...message, id: `message-${n}` }))
  const ids = (parts: readonly Part[], kind: string) => parts.map((_, n) => `${kind}-${n}`)
  const value = {
    ...own,
    id: 'agent-0',
    metadata: own.metadata ?? metadata_,
    tags: Array.isArray(tags) ? tags.map((tag) => (isObject(tag) ? tag.tag : tag)) : tags,
    block_ids: ids(blocks, 'block'),
    tool_ids: ids(numbered, 'tool'),
    in_context_message_ids: Array.isArray(in_context_message_indices)
      ? in_context_message_indices.map((index) => `message-${index}`)
      : in_context_message_indices,
    tool_exec_environment_variables: Array.isArray(variables)
      ? Object.fromEntries(
          variables.map((variable) => (isObject(variable) ? [variable.key, variable.value] : ['', null])),
        )
      : variables,
  }
  return {
    renamed: new Map([['in_context_message_ids', 'in_context_message_indices']]),
    agents: [{ at: '', value, messages: said }],
    blocks,
    tools: numbered,
    groups: [],
    sources: [],
    files: [],
  }
}
