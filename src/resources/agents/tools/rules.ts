import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { agents } from '../schema.ts'
import type { ToolRule } from '../tool-rules.ts'

/** The rules, with or without one that asks for approval of this tool; the others keep their places. */
export function withApproval(rules: readonly ToolRule[], tool_name: string, wanted: boolean): ToolRule[] {
  const asks = (rule: ToolRule) => rule.type === 'requires_approval' && rule.tool_name === tool_name
  if (!wanted) return rules.filter((rule) => !asks(rule))
  return rules.some(asks) ? [...rules] : [...rules, { type: 'requires_approval', tool_name }]
}

function renamed(rule: ToolRule, from: string, to: string): ToolRule {
  const swap = (name: string) => (name === from ? to : name)
  const { children, child_arg_nodes, child_output_mapping, default_child } = rule
  return {
    ...rule,
    tool_name: swap(rule.tool_name),
    ...(children && { children: children.map(swap) }),
    ...(child_arg_nodes && { child_arg_nodes: child_arg_nodes.map((node) => ({ ...node, name: swap(node.name) })) }),
    ...(child_output_mapping !== undefined && {
      child_output_mapping: Object.fromEntries(
        Object.entries(child_output_mapping as Record<string, string>).map(([output, child]) => [output, swap(child)]),
      ),
    }),
    ...(typeof default_child === 'string' && { default_child: swap(default_child) }),
  }
}

/**
 * Carries a tool's new name into the rules of every agent: a rule that went on naming the old one would bind nothing,
 * and a tool that needed approval would need none.
 */
export async function renameInRules(tx: Scope, from: string, to: string): Promise<void> {
  const found = await tx.query(sql<{ id: string; tool_rules: ToolRule[] }>`
    select id, tool_rules from agents where organization_id = ${tx.organizationId}
      and jsonb_path_exists(tool_rules::jsonb, '$.** ? (@ == $name)', jsonb_build_object('name', ${from}::text))
    order by id for update`)
  const scope = tx.withoutIfMatch()
  for (const { id, tool_rules } of found) {
    await scope.update(agents, id, { tool_rules: tool_rules.map((rule) => renamed(rule, from, to)) })
  }
}
