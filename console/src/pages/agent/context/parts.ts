import type { ContextOverview } from '../../../api/generated.ts'

export interface Part {
  name: string
  tokens: number
  /** The Tailwind class of its colour in the bar. */
  colour: string
  /** What stands there; absent where it is a list of its own. */
  text?: string | undefined
}

/** What fills the context window, in the order of the prompt; parts without tokens are left out. */
export function partsOf(context: ContextOverview): Part[] {
  const parts: Part[] = [
    { name: 'Instructions', tokens: context.num_tokens_system, colour: 'bg-sky-500', text: context.system_prompt },
    { name: 'Memory blocks', tokens: context.num_tokens_core_memory, colour: 'bg-teal-500', text: context.core_memory },
    {
      name: 'Tool rules',
      tokens: context.num_tokens_tool_usage_rules,
      colour: 'bg-violet-400',
      text: context.tool_usage_rules,
    },
    {
      name: 'Folders and files',
      tokens: context.num_tokens_directories,
      colour: 'bg-amber-500',
      text: context.directories,
    },
    {
      name: 'Numbers and times',
      tokens: context.num_tokens_external_memory_summary,
      colour: 'bg-stone-400',
      text: context.external_memory_summary,
    },
    {
      name: 'Tools',
      tokens: context.num_tokens_functions_definitions,
      colour: 'bg-indigo-500',
      text: JSON.stringify(context.functions_definitions, null, 2),
    },
    { name: 'Summary', tokens: context.num_tokens_summary_memory, colour: 'bg-rose-400', text: context.summary_memory },
    {
      name: 'Messages',
      tokens: context.num_tokens_messages,
      colour: 'bg-emerald-600',
      text: JSON.stringify(context.messages, null, 2),
    },
  ]
  return parts.filter(({ tokens }) => tokens > 0)
}
