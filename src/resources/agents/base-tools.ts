import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid, notFound } from '../../lib/errors.ts'
import type { Tool } from '../tools/schema.ts'
import type { CreateAgent } from './body.ts'
import { type AgentType, DEFAULT_TYPE } from './schema.ts'
import type { ToolRule } from './tool-rules.ts'

const CLASSIC = [
  'send_message',
  'conversation_search',
  'core_memory_append',
  'core_memory_replace',
  'memory',
  'memory_apply_patch',
]

/** The tools an agent of each type starts with. */
const BASE_TOOLS: Record<AgentType, readonly string[]> = {
  voice_sleeptime_agent: ['store_memories', 'rethink_user_memory', 'finish_rethinking_memory'],
  voice_convo_agent: ['send_message', 'search_memory'],
  sleeptime_agent: ['memory_replace', 'memory_insert', 'memory_rethink', 'memory_finish_edits'],
  mem_v2_agent: ['send_message', 'conversation_search', 'memory_replace', 'memory_insert'],
  react_agent: [],
  workflow_agent: [],
  svc_v1_agent: ['conversation_search', 'memory_replace', 'memory_insert'],
  mem_agent: CLASSIC,
  split_thread_agent: CLASSIC,
}

/** The tools of an agent whose memory another one manages. */
const WITH_SLEEPTIME = ['send_message', 'conversation_search', 'archival_memory_search']

export const MULTI_AGENT_TOOLS = [
  'send_message_to_agent_and_wait_for_reply',
  'send_message_to_agents_matching_tags',
  'send_message_to_agent_async',
]

/** The tools with which an agent reads the files of its folders. */
export const FILE_TOOLS = ['open_files', 'grep_files', 'semantic_search_files']

/** The tools whose call ends a step. */
const EXITS = new Set(['send_message', 'send_message_to_agent_async', 'memory_finish_edits'])

/** Types whose loop is driven by rules. The others end when the model calls no tool. */
const RULED: ReadonlySet<AgentType> = new Set([
  'mem_agent',
  'mem_v2_agent',
  'split_thread_agent',
  'sleeptime_agent',
  'voice_convo_agent',
  'voice_sleeptime_agent',
])

export function baseToolsOf(type: AgentType, sleeptime: boolean): readonly string[] {
  const own = type === 'voice_sleeptime_agent' || type === 'voice_convo_agent' || type === 'sleeptime_agent'
  return sleeptime && !own ? WITH_SLEEPTIME : BASE_TOOLS[type]
}

type Attached = Required<Pick<Tool, 'id' | 'name' | 'tool_type'>> & { default_requires_approval: boolean | null }

/** The organization's tools with these ids or names, by one statement. */
function findTools(scope: Scope, ids: readonly string[], names: readonly string[]): Promise<Attached[]> {
  return scope.query<Attached>(sql`
    select id, name, tool_type, default_requires_approval from tools
    where organization_id = ${scope.organizationId} and (id = any(${ids}::text[]) or name = any(${names}::text[]))`)
}

function ruleNameFaults(rules: readonly ToolRule[], known: ReadonlySet<string>) {
  return rules.flatMap(({ tool_name, children, child_arg_nodes }, index) => [
    ...(known.has(tool_name) ? [] : [inBody(`tool_rules[${index}].tool_name`, `no tool is named "${tool_name}"`)]),
    ...(child_arg_nodes ?? [])
      .filter(({ name }) => !children?.includes(name))
      .map(({ name }) => inBody(`tool_rules[${index}].child_arg_nodes`, `"${name}" is not among the children`)),
  ])
}

/**
 * 422 unless every rule's tool exists in the organization and every prefilled child is a child. Names in `current`, the
 * agent's rules, are left alone: a tool may have gone since.
 */
export async function checkToolRules(
  scope: Scope,
  rules: readonly ToolRule[],
  current: readonly ToolRule[],
): Promise<void> {
  if (rules.length === 0) return
  const found = await findTools(
    scope,
    [],
    rules.map(({ tool_name }) => tool_name),
  )
  const faults = ruleNameFaults(
    rules,
    new Set([...found.map(({ name }) => name), ...current.map((rule) => rule.tool_name)]),
  )
  if (faults.length > 0) throw invalid(...faults)
}

/**
 * The tools a new agent is given (ids first, then names, then those of its type) and its rules: the given ones, those
 * the type's loop needs, and approval for tools that ask for it. 404 for an unknown id, 422 for an unknown name.
 */
export async function toolsOf(
  scope: Scope,
  body: CreateAgent,
  withFolders: boolean,
): Promise<{ tool_ids: string[]; tool_rules: ToolRule[] | undefined }> {
  const type = body.agent_type ?? DEFAULT_TYPE
  const ids = body.tool_ids ?? []
  const names = [
    ...(body.tools ?? []),
    ...(body.include_base_tools === false ? [] : baseToolsOf(type, body.enable_sleeptime === true)),
    ...(body.include_multi_agent_tools ? MULTI_AGENT_TOOLS : []),
    ...(withFolders ? FILE_TOOLS : []),
  ]
  const given = body.tool_rules ?? []
  const found = await findTools(scope, ids, [...names, ...given.map(({ tool_name }) => tool_name)])
  const byId = new Map(found.map((tool) => [tool.id, tool]))
  const byName = new Map(found.map((tool) => [tool.name, tool]))
  for (const id of ids) if (!byId.has(id)) throw notFound('tool', id)
  const faults = [
    ...(body.tools ?? []).flatMap((name, index) =>
      byName.has(name) ? [] : [inBody(`tools[${index}]`, `no tool is named "${name}"`)],
    ),
    ...ruleNameFaults(given, new Set(byName.keys())),
  ]
  if (faults.length > 0) throw invalid(...faults)

  const attached = [...new Set([...ids.map((id) => byId.get(id)!), ...names.flatMap((name) => byName.get(name) ?? [])])]
  const rules: ToolRule[] = [...given]
  const isGiven = (name: string, ...types: ToolRule['type'][]) =>
    given.some((rule) => rule.tool_name === name && types.includes(rule.type))
  if (body.include_base_tool_rules ?? RULED.has(type)) {
    for (const { name, tool_type } of attached) {
      if (isGiven(name, 'exit_loop', 'continue_loop')) continue
      if (EXITS.has(name)) rules.push({ type: 'exit_loop', tool_name: name })
      else if (/^svc_(core|memory_core|sleeptime_core|voice_sleeptime_core)$/.test(tool_type)) {
        rules.push({ type: 'continue_loop', tool_name: name })
      }
    }
  }
  for (const { name, default_requires_approval } of attached) {
    if (default_requires_approval && !isGiven(name, 'requires_approval')) {
      rules.push({ type: 'requires_approval', tool_name: name })
    }
  }
  return {
    tool_ids: attached.map(({ id }) => id),
    tool_rules: rules.length > 0 || body.tool_rules ? rules : undefined,
  }
}
