import type { AgentWithRelations } from '../resources/agents/load.ts'
import type { AgentType } from '../resources/agents/schema.ts'
import { directoriesSection, type VisibleFile } from './directories.ts'
import type { Memory, MemoryBlock } from './memory.ts'
import { factsSection, type PromptFacts } from './prompt-facts.ts'
import { describeRules } from './tool-rules.ts'
import type { Turn } from './turn.ts'

/** Types of agents without memory blocks in their prompt. */
const WITHOUT_MEMORY: readonly AgentType[] = ['react_agent', 'workflow_agent']

/** Types of agents whose models of Anthropic see the lines of their blocks numbered. */
const NUMBERED: readonly AgentType[] = ['svc_v1_agent', 'mem_v2_agent', 'sleeptime_agent']

/** The place of the memory in a system prompt. Without it, the memory follows the prompt. */
const PLACE = '{CORE_MEMORY}'

const joined = (sections: readonly (string | undefined)[]) => sections.filter(Boolean).join('\n\n')

function blockSection({ label, value, description, limit, readOnly }: MemoryBlock, numbered: boolean): string {
  const lines = value.split('\n')
  return [
    `<${label}>`,
    ...(description ? ['<description>', description, '</description>'] : []),
    '<metadata>',
    ...(readOnly ? ['- read_only=true'] : []),
    `- chars_current=${Array.from(value).length}`,
    ...(limit == null ? [] : [`- chars_limit=${limit}`]),
    '</metadata>',
    ...(numbered
      ? ['<warning>', 'The numbers before the lines are shown here alone. They belong to no value.', '</warning>']
      : []),
    '<value>',
    numbered ? lines.map((line, n) => `${n + 1}→ ${line}`).join('\n') : value,
    '</value>',
    `</${label}>`,
  ].join('\n')
}

/** The section of the memory blocks; undefined without blocks. */
function memorySection({ row }: AgentWithRelations, { blocks }: Memory): string | undefined {
  if (blocks.size === 0 || WITHOUT_MEMORY.includes(row.agent_type)) return undefined
  const numbered = row.llm_config.model_endpoint_type === 'anthropic' && NUMBERED.includes(row.agent_type)
  const sections = [...blocks.values()].map((block) => blockSection(block, numbered))
  return [
    '<memory_blocks>',
    'These blocks of your memory are always in front of you:',
    '',
    joined(sections),
    '',
    '</memory_blocks>',
  ].join('\n')
}

/** The section of the tool rules; undefined without rules to describe. */
function rulesSection({ row }: AgentWithRelations): string | undefined {
  const texts = describeRules(row.tool_rules ?? [])
  if (texts.length === 0) return undefined
  return [
    '<tool_usage_rules>',
    'Rules for the use of your tools:',
    ...texts.map((text) => `<tool_rule>\n${text}\n</tool_rule>`),
    '</tool_usage_rules>',
  ].join('\n')
}

/** The system prompt of an agent, without the facts: it stays the same to the byte while nothing in it changes. */
export function stablePrompt(agent: AgentWithRelations, memory: Memory, files: readonly VisibleFile[]): string {
  const memoryText = joined([memorySection(agent, memory), rulesSection(agent), directoriesSection(agent, files)])
  const base = agent.row.system
  return base.includes(PLACE) ? base.replace(PLACE, () => memoryText) : joined([base, memoryText])
}

/** The whole system prompt. */
export const compilePrompt = (stable: string, facts: PromptFacts): string => joined([stable, factsSection(facts)])

/** Whether a compiled prompt has this stable part: only its facts can be out of date. */
export const isCurrent = (compiled: string, stable: string): boolean =>
  compiled === stable || compiled.startsWith(`${stable}\n\n<memory_metadata>`)

/** The section of the skills that the caller's computer has; undefined without skills. */
function skillsSection(skills: Turn['request']['client_skills']): string | undefined {
  if (!skills?.length) return undefined
  const each = skills.map(({ name, description, location }) =>
    ['<skill>', `- name: ${name}`, `- location: ${location}`, description, '</skill>'].join('\n'),
  )
  return [
    '<available_skills>',
    'Read the file at the location of a skill before you use it.',
    ...each,
    '</available_skills>',
  ].join('\n')
}

/** The system prompt that a request's model reads: the agent's with the caller's skills, or the caller's own. */
export const promptFor = ({ system, request }: Pick<Turn, 'system' | 'request'>): string =>
  request.override_system ?? joined([system.text, skillsSection(request.client_skills)])
