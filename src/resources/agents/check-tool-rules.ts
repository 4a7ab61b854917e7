import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import type { Tool } from '../tools/schema.ts'
import type { ToolRule } from './tool-rules.ts'

export type FoundTool = Required<Pick<Tool, 'id' | 'name' | 'tool_type'>> & {
  default_requires_approval: boolean | null
}

/** The organization's tools with these ids or names, by one statement. */
export function findTools(scope: Scope, ids: readonly string[], names: readonly string[]): Promise<FoundTool[]> {
  return scope.query<FoundTool>(sql`
    select id, name, tool_type, default_requires_approval from tools
    where organization_id = ${scope.organizationId} and (id = any(${ids}::text[]) or name = any(${names}::text[]))`)
}

/** The issues of rules that name a tool beside `known`, or prefill a tool that is not a child. */
export function ruleNameIssues(rules: readonly ToolRule[], known: ReadonlySet<string>) {
  return rules.flatMap(({ tool_name, children, child_arg_nodes }, index) => [
    ...(known.has(tool_name) ? [] : [inBody(`tool_rules[${index}].tool_name`, `no tool is named "${tool_name}"`)]),
    ...(child_arg_nodes ?? [])
      .filter(({ name }) => !children?.includes(name))
      .map(({ name }) => inBody(`tool_rules[${index}].child_arg_nodes`, `"${name}" is not among the children`)),
  ])
}

/**
 * 422 unless every rule's tool exists in the organization and every prefilled child is a child. Tools that `current`, the
 * agent's rules, name already are accepted: they may have been deleted since.
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
  const issues = ruleNameIssues(
    rules,
    new Set([...found.map(({ name }) => name), ...current.map((rule) => rule.tool_name)]),
  )
  if (issues.length > 0) throw invalid(...issues)
}
