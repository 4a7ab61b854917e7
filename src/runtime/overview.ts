import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { createClock, inZone } from '../lib/clock.ts'
import { omitNulls } from '../lib/json.ts'
import { asText, unpackSummary } from '../resources/messages/packed.ts'
import type { Target } from '../resources/messages/table.ts'
import type { Tool } from '../resources/tools/schema.ts'
import { targetFor } from './compaction/gauge.ts'
import { renderHistory } from './history.ts'
import { parametersOf } from './prescribed.ts'
import { type ContextRow, checkThread, compileThread, hasCurrentPrompt, loadThread } from './thread.ts'

/** The sections of a compiled prompt: the text between these tags, the tags included. */
const SECTIONS = ['memory_blocks', 'tool_usage_rules', 'directories', 'memory_metadata'] as const
type Section = (typeof SECTIONS)[number]

/** The sections of a compiled prompt, and the rest of it. */
function sectionsOf(prompt: string): { rest: string; found: Partial<Record<Section, string>> } {
  const found: Partial<Record<Section, string>> = {}
  let rest = prompt
  for (const name of SECTIONS) {
    const [start, close] = [rest.indexOf(`<${name}>`), `</${name}>`]
    const end = rest.lastIndexOf(close)
    if (start === -1 || end < start) continue
    found[name] = rest.slice(start, end + close.length)
    rest = rest.slice(0, start) + rest.slice(end + close.length)
  }
  return { rest: rest.trim(), found }
}

async function countStored(scope: Scope, agentId: string) {
  const { organizationId } = scope
  const [counts] = await scope.read<{ messages: number; passages: number }>(sql`
    select (select count(*)::int from messages where organization_id = ${organizationId} and agent_id = ${agentId}) as messages,
      (select count(*)::int from passages join agents_archives as link
        on link.organization_id = ${organizationId} and link.archive_id = passages.container_id
        where passages.organization_id = ${organizationId} and link.agent_id = ${agentId}) as passages`)
  return counts!
}

const definition = (tool: Tool) => {
  const { description = tool.description } = (tool.json_schema ?? {}) as { description?: string }
  return { type: 'function', function: { name: tool.name, description, parameters: parametersOf(tool), strict: null } }
}

/** A row as clients read it, without the provider's own parts and the columns of its thread. */
const shownRow = ({ model_parts, token_count, shortened_to, pending_expires_at, ...row }: ContextRow) => ({
  ...row,
  updated_at: row.created_at,
  batch_item_id: null,
  is_err: null,
  tool_returns: row.tool_returns ?? [],
  approvals: row.approvals ?? [],
})

/** Objects as the caller reads them: only the Letta API sends null for a field without a value. */
const inNames = ({ names }: Scope, objects: Record<string, unknown>[]): Record<string, unknown>[] =>
  names === 'vendor' ? objects : omitNulls(objects)

/** The characters whose tokens are counted at once: other requests go on in between. */
const COUNTED_AT_ONCE = 50_000

async function countTokens(texts: readonly (string | undefined)[]): Promise<number> {
  const { tokensOf } = await import('../files/tokens.ts')
  let [tokens, characters] = [0, 0]
  for (const text of texts) {
    for (let at = 0; at < (text?.length ?? 0); at += COUNTED_AT_ONCE) {
      const part = text!.slice(at, at + COUNTED_AT_ONCE)
      tokens += tokensOf(part)
      characters += part.length
      if (characters < COUNTED_AT_ONCE) continue
      characters = 0
      await setImmediate()
    }
  }
  return tokens
}

/**
 * The parts of a thread's context as its next run sees them, with the tokens of each by a common tokenizer, and those of the
 * latest prompt by the count of its own model. 404.
 */
export async function contextOverview(scope: Scope, target: Target) {
  const { TOKENIZER } = await import('../files/tokens.ts')
  const thread = await loadThread(scope, target)
  await checkThread(scope, target)
  const { agent, system, rows } = thread
  // Two reads of one context are equal: a prompt that is still to be compiled bears the time of its row.
  const { created_at, timezone } = agent.row
  const time = inZone(new Date(system?.created_at ?? created_at), createClock(timezone ?? 'UTC'))
  const prompt = hasCurrentPrompt(thread)
    ? asText(system!.content)
    : await compileThread(scope, target, thread, rows.length, time)
  const shown = system ? [{ ...system, content: [{ type: 'text', text: prompt }] }, ...rows] : rows
  const { rest, found } = sectionsOf(prompt)
  const summary = rows[0]?.role === 'summary' ? unpackSummary(rows[0].content).summary : undefined
  const history = renderHistory(rows, '', targetFor(agent.row.llm_config, thread)).slice(1)
  const texts = history.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  const functions = agent.tools.map(definition)
  const parts = {
    num_tokens_external_memory_summary: await countTokens([found.memory_metadata]),
    num_tokens_system: await countTokens([rest]),
    num_tokens_core_memory: await countTokens([found.memory_blocks]),
    num_tokens_memory_filesystem: 0,
    num_tokens_tool_usage_rules: await countTokens([found.tool_usage_rules]),
    num_tokens_directories: await countTokens([found.directories]),
    num_tokens_summary_memory: await countTokens([summary]),
    num_tokens_functions_definitions: functions.length > 0 ? await countTokens([JSON.stringify(functions)]) : 0,
    num_tokens_messages: await countTokens(texts.slice(summary === undefined ? 0 : 1)),
  }
  const stored = await countStored(scope, target.agentId)
  return {
    context_window_size_max: agent.row.llm_config.context_window,
    context_window_size_current: Object.values(parts).reduce((sum, tokens) => sum + tokens, 0),
    num_messages: shown.length,
    num_archival_memory: stored.passages,
    num_recall_memory: stored.messages,
    ...parts,
    external_memory_summary: found.memory_metadata ?? '',
    system_prompt: rest,
    core_memory: found.memory_blocks ?? '',
    ...(found.tool_usage_rules && { tool_usage_rules: found.tool_usage_rules }),
    ...(found.directories && { directories: found.directories }),
    ...(summary !== undefined && { summary_memory: summary }),
    functions_definitions: inNames(scope, functions),
    messages: inNames(scope, shown.map(shownRow)),
    tokenizer: TOKENIZER,
    ...(thread.count && { num_tokens_reported: Math.round(thread.count.reported) }),
  }
}
