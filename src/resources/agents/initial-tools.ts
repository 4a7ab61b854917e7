import type { Scope } from '../../db/scope.ts'
import { checkAll, inBody, invalid, notFound } from '../../lib/errors.ts'
import { baseToolsOf, FILE_TOOLS, MULTI_AGENT_TOOLS } from './base-tools.ts'
import type { CreateAgent } from './body.ts'
import { type FoundTool, findTools, ruleNameIssues } from './check-tool-rules.ts'
import { type AgentType, DEFAULT_TYPE } from './schema.ts'
import { storedRules, type ToolRule } from './tool-rules.ts'

/** The type whose turn ends when the model calls no tool: it needs no rules for that, unless a partner manages its memory. */
const UNRULED: AgentType = 'svc_v1_agent'

/** The tools whose call ends a turn. */
const EXITS = new Set([
  'send_message',
  'send_message_to_agent_async',
  'memory_finish_edits',
  'finish_rethinking_memory',
])

/**
 * The tools of a new agent (by id, then by name, then those of its type) and its rules: those of the body, those that the
 * loop of its type needs, and approval for tools that ask for it. 404 for an unknown id, 422 for an unknown name.
 */
export async function toolsOf(
  scope: Scope,
  body: CreateAgent,
  withFolders: boolean,
): Promise<{ tool_ids: string[]; tool_rules: ToolRule[] | undefined }> {
  const ids = body.tool_ids ?? []
  const names = namesOf(body, withFolders)
  const ruled = (body.tool_rules ?? []).map(({ tool_name }) => tool_name)
  const found = await findTools(scope, ids, [...names, ...ruled])
  const byId = new Map(found.map((tool) => [tool.id, tool]))
  const byName = new Map(found.map((tool) => [tool.name, tool]))
  for (const id of ids) if (!byId.has(id)) throw notFound('tool', id)
  const issues = [
    ...(body.tools ?? []).flatMap((name, index) =>
      byName.has(name) ? [] : [inBody(`tools[${index}]`, `no tool is named "${name}"`)],
    ),
    ...ruleNameIssues(body.tool_rules ?? [], new Set(byName.keys())),
  ]
  const [own] = checkAll(
    () => storedRules(body.tool_rules),
    () => {
      if (issues.length > 0) throw invalid(...issues)
    },
  )
  const attached = new Set([...ids.map((id) => byId.get(id)!), ...names.flatMap((name) => byName.get(name) ?? [])])
  const rules = rulesOf(body, own ?? [], [...attached])
  return {
    tool_ids: [...attached].map(({ id }) => id),
    tool_rules: rules.length > 0 || body.tool_rules ? rules : undefined,
  }
}

const namesOf = (body: CreateAgent, withFolders: boolean) => [
  ...(body.tools ?? []),
  ...(body.include_base_tools === false
    ? []
    : baseToolsOf(body.agent_type ?? DEFAULT_TYPE, body.enable_sleeptime === true)),
  ...(body.include_multi_agent_tools ? MULTI_AGENT_TOOLS : []),
  ...(withFolders ? FILE_TOOLS : []),
]

const CONTINUES = /^svc_(core|memory_core|sleeptime_core|voice_sleeptime_core)$/

/** The agent's own rules, then the rules that the attached tools need besides. */
function rulesOf(body: CreateAgent, own: readonly ToolRule[], attached: readonly FoundTool[]): ToolRule[] {
  const rules: ToolRule[] = [...own]
  const hasRule = (name: string, ...types: ToolRule['type'][]) =>
    own.some((rule) => rule.tool_name === name && types.includes(rule.type))
  // An agent with a partner answers by a call of send_message: without a rule the model would answer once more.
  const isRuled = body.enable_sleeptime === true || (body.agent_type ?? DEFAULT_TYPE) !== UNRULED
  if (body.include_base_tool_rules ?? isRuled) {
    for (const { name, tool_type } of attached) {
      if (hasRule(name, 'exit_loop', 'continue_loop')) continue
      if (EXITS.has(name)) rules.push({ type: 'exit_loop', tool_name: name })
      else if (CONTINUES.test(tool_type)) rules.push({ type: 'continue_loop', tool_name: name })
    }
  }
  for (const { name, default_requires_approval } of attached) {
    if (default_requires_approval && !hasRule(name, 'requires_approval')) {
      rules.push({ type: 'requires_approval', tool_name: name })
    }
  }
  return rules
}
