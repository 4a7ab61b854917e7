import type { ToolRule } from '../resources/agents/tool-rules.ts'

/** A call of this run, for the rules: its tool, and the text of its return. */
export interface PastCall {
  name: string
  output: string
}

/** The beginnings of the returns of calls that the server refused, and that the user denied. */
export const BLOCKED = '[ToolConstraintError]'
export const DENIED = 'Error: request to call tool denied.'

/** Whether a return stands for a call that was never made: such a call doesn't count for the rules. */
export const wasBlocked = ({ status, output }: { status: 'success' | 'error'; output: string }): boolean =>
  status === 'error' && (output.startsWith(BLOCKED) || output.startsWith(DENIED))

/** The calls that the rules allow next. */
export interface Allowed {
  names: string[]
  /** Whether the model must call one of them. */
  mustCall: boolean
  /** Arguments that rules prescribe, by tool. */
  prefilled: Map<string, Record<string, unknown>>
}

type Of<Type extends ToolRule['type']> = ToolRule & { type: Type }

const rulesOf = <Type extends ToolRule['type']>(rules: readonly ToolRule[], type: Type) =>
  rules.filter((rule): rule is Of<Type> => rule.type === type)

/** The child that a return chooses: mappings compare texts, booleans and numbers alike. */
function childOf(rule: ToolRule, output: string): string | undefined {
  const mapping = rule.child_output_mapping as Record<string, string>
  const same = (key: string) =>
    key === output || key.toLowerCase() === output.toLowerCase() || (output !== '' && Number(key) === Number(output))
  const key = Object.keys(mapping).find(same)
  return key === undefined ? undefined : mapping[key]
}

/** The tools that one rule keeps, of those available. */
function keptBy(rule: ToolRule, available: readonly string[], history: readonly PastCall[]): readonly string[] {
  const last = history.at(-1)
  const isLast = last?.name === rule.tool_name
  const children = rule.children ?? []
  switch (rule.type) {
    case 'constrain_child_tools':
      return isLast ? children : available
    case 'parent_last_tool':
      return isLast ? children : available.filter((name) => !children.includes(name))
    case 'conditional': {
      if (!isLast) return available
      const child = childOf(rule, last!.output)
      if (child !== undefined) return [child]
      if (rule.require_output_mapping) return []
      return rule.default_child == null ? available : [rule.default_child as string]
    }
    case 'max_count_per_step': {
      const count = history.filter(({ name }) => name === rule.tool_name).length
      return count >= (rule.max_count_limit as number) ? available.filter((name) => name !== rule.tool_name) : available
    }
    default:
      return available
  }
}

const FORCING: readonly ToolRule['type'][] = ['constrain_child_tools', 'parent_last_tool', 'conditional']

/** The tools that the rules allow after these calls, of those available: maybe none. */
export function allowedTools(
  rules: readonly ToolRule[],
  available: readonly string[],
  history: readonly PastCall[],
): Allowed {
  const prefilled = new Map<string, Record<string, unknown>>()
  const first = rulesOf(rules, 'run_first').filter(({ tool_name }) => available.includes(tool_name))
  if (history.length === 0 && first.length > 0) {
    for (const { tool_name, args } of first) if (args) prefilled.set(tool_name, args as Record<string, unknown>)
    return { names: first.map(({ tool_name }) => tool_name), mustCall: true, prefilled }
  }
  const kept = rules.reduce<readonly string[]>((names, rule) => {
    const allowed = keptBy(rule, available, history)
    return names.filter((name) => allowed.includes(name))
  }, available)
  const last = history.at(-1)?.name
  const forcing = rules.filter((rule) => FORCING.includes(rule.type) && rule.tool_name === last)
  for (const { child_arg_nodes } of forcing) {
    for (const { name, args } of child_arg_nodes ?? []) if (args) prefilled.set(name, args)
  }
  return { names: [...kept], mustCall: forcing.length > 0 && kept.length > 0, prefilled }
}

/** The required tools that a run hasn't called yet, of those attached. */
export const missingBeforeExit = (
  rules: readonly ToolRule[],
  available: readonly string[],
  history: readonly PastCall[],
): string[] =>
  rulesOf(rules, 'required_before_exit')
    .map(({ tool_name }) => tool_name)
    .filter((name) => available.includes(name) && !history.some((call) => call.name === name))

const named = (rules: readonly ToolRule[], type: ToolRule['type'], tool: string) =>
  rules.some((rule) => rule.type === type && rule.tool_name === tool)

/** Whether a call of this tool ends the run. */
export const endsRun = (rules: readonly ToolRule[], tool: string) => named(rules, 'exit_loop', tool)

/** Whether a call of this tool waits for an approval. */
export const needsApproval = (rules: readonly ToolRule[], tool: string) => named(rules, 'requires_approval', tool)

/** Whether a run goes on after a call of this tool, in agents that otherwise say so by a heartbeat. */
export const continues = (rules: readonly ToolRule[], tool: string) => named(rules, 'continue_loop', tool)

/** Whether a rule names the tools that follow this one. */
export const childRuleOf = (rules: readonly ToolRule[], tool: string) =>
  rules.some((rule) => FORCING.includes(rule.type) && rule.tool_name === tool)

/** Whether a model may call several tools at once: rules on an order would have no order to look at. */
export const allowsParallelCalls = (rules: readonly ToolRule[]) =>
  rules.every(({ type }) => type === 'requires_approval')

const quoted = (names: readonly string[] = []) => names.map((name) => `"${name}"`).join(', ')

/** The text of a rule for the model. */
function describe(rule: ToolRule): string {
  const tool = `"${rule.tool_name}"`
  switch (rule.type) {
    case 'run_first':
      return `Begin with a call of ${tool}.`
    case 'requires_approval':
      return `A call of ${tool} waits until the user approves it.`
    case 'constrain_child_tools':
      return `After ${tool}, call one of: ${quoted(rule.children)}.`
    case 'parent_last_tool':
      return `Only directly after ${tool}, call one of: ${quoted(rule.children)}.`
    case 'conditional': {
      const children = Object.entries(rule.child_output_mapping as Record<string, string>)
      const others = rule.default_child == null ? [] : [`otherwise "${rule.default_child}"`]
      const cases = [...children.map(([output, child]) => `"${child}" after "${output}"`), ...others]
      return `The return of ${tool} decides which tool comes next: ${cases.join(', ')}.`
    }
    case 'max_count_per_step':
      return `Call ${tool} at most ${rule.max_count_limit} times in one response to the user.`
    case 'exit_loop':
      return `A call of ${tool} ends your turn.`
    case 'continue_loop':
      return `After ${tool}, your turn goes on.`
    default:
      return `Call ${tool} before your turn ends.`
  }
}

/** The texts of the rules that a prompt shows. */
export const describeRules = (rules: readonly ToolRule[]): string[] => rules.map(describe)

/** The refusal of a call: the tools that the rules allow now, and the rules on this tool and on the one before. */
export function refusalOf(rules: readonly ToolRule[], tool: string, allowed: readonly string[], last?: string): string {
  const names = allowed.map((name) => `'${name}'`).join(', ')
  const broken = rules.filter(({ tool_name }) => tool_name === tool || tool_name === last)
  const hints =
    broken.length > 0 ? ['', '** Rules on these tools:', ...broken.map((rule) => `\t- ${describe(rule)}`)] : []
  return `${BLOCKED} Cannot call ${tool}, valid tools include: [${names}].${hints.join('\n')}`
}
