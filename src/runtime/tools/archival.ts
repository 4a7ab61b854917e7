import { pythonText } from '../../lib/python-text.ts'
import { addMemories, embedMemories } from '../../resources/agents/archival-memory/archival-memory.ts'
import { prepareMemorySearch } from '../../resources/passages/prepare-search.ts'
import { searchArchivalMemory } from '../../resources/passages/search.ts'
import { ToolError } from '../memory.ts'
import { isRefusal } from '../refused.ts'
import { optionalChoice, optionalInteger, optionalText, optionalTexts, text } from './arguments.ts'
import type { BuiltinTool, ToolContext, ToolEffect } from './tool.ts'

/** The most characters of a passage, and of a tag. */
const MAX_TEXT = 100_000
const MAX_TAG = 500

/** The most results of a search. */
const MAX_RESULTS = 100

/**
 * Prepares passages of an agent's archive. Where its embedding model fails, background work embeds the passages later: what an
 * agent remembers isn't lost. Throws a ToolError for a text that can't be stored.
 */
export async function prepareMemories(
  { scope, services }: ToolContext,
  agentId: string,
  texts: readonly string[],
  tags: string[] = [],
) {
  if (texts.some((text) => text.trim() === '' || text.length > MAX_TEXT)) {
    throw new ToolError(`A memory must have 1 to ${MAX_TEXT} characters.`)
  }
  if (tags.some((tag) => tag === '' || tag.length > MAX_TAG)) {
    throw new ToolError(`Each tag must have 1 to ${MAX_TAG} characters.`)
  }
  const vectors = await embedMemories(scope, services.embedders, agentId, texts).catch((error) => {
    if (!isRefusal(error)) throw error
    return undefined
  })
  return { list: texts.map((text) => ({ text, tags })), vectors: () => vectors }
}

/** The tools of an agent's long-term memory. */
export const ARCHIVAL_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  async archival_memory_insert(args, context) {
    const prepared = await prepareMemories(
      context,
      context.agent.row.id,
      [text(args, 'content')],
      optionalTexts(args, 'tags'),
    )
    const effect: ToolEffect = async (tx) => {
      await addMemories(tx, context.agent.row.id, prepared)
    }
    return { status: 'success', output: 'None', effect }
  },
  async archival_memory_search(args, { scope, agent, services, signal }) {
    const request = {
      query: text(args, 'query'),
      tags: optionalTexts(args, 'tags'),
      tag_match_mode: optionalChoice(args, 'tag_match_mode', ['any', 'all']),
      top_k: Math.min(optionalInteger(args, 'top_k', 1) ?? 5, MAX_RESULTS),
      start_datetime: optionalText(args, 'start_datetime'),
      end_datetime: optionalText(args, 'end_datetime'),
    }
    const search = await prepareMemorySearch(scope, services, agent.row.id, request)
    const { results } = await services.searchTurns(scope.organizationId, () =>
      searchArchivalMemory(scope, search, signal),
    )
    return pythonText(results)
  },
}
