import { pythonText } from '../../lib/python-text.ts'
import { addMemories } from '../../resources/agents/archival-memory/archival-memory.ts'
import { unpackUser } from '../../resources/messages/packed.ts'
import { prepareMessageSearch } from '../../resources/messages/prepare-search.ts'
import { findMessages } from '../../resources/messages/search.ts'
import { prepareMemorySearch } from '../../resources/passages/prepare-search.ts'
import { searchArchivalMemory } from '../../resources/passages/search.ts'
import { ToolError } from '../memory.ts'
import { prepareMemories } from './archival.ts'
import { optionalInteger, optionalTexts, text } from './arguments.ts'
import { resultOf } from './recall.ts'
import type { Arguments, BuiltinTool, ToolContext } from './tool.ts'

/** The results of each search. */
const RESULTS = 5

/** The text of a chunk: its lines of the transcript, and why they matter. Throws a ToolError for lines that aren't there. */
function chunkText(chunk: Arguments, lines: readonly string[]): string {
  const [start, end] = [optionalInteger(chunk, 'start_index', 0), optionalInteger(chunk, 'end_index', 0)]
  if (start === undefined || end === undefined || end < start || end >= lines.length) {
    throw new ToolError(`A chunk needs start_index and end_index, in order, from 0 to ${lines.length - 1}.`)
  }
  return [...lines.slice(start, end + 1), text(chunk, 'context')].join('\n')
}

/** The last words of the user. */
function lastWords({ rows }: ToolContext): string {
  const said = rows.findLast(({ role }) => role === 'user')
  return said ? unpackUser(said.content) : ''
}

/** The instant that lies so many minutes ago. */
const minutesAgo = (args: Arguments, name: string) => {
  const minutes = optionalInteger(args, name, 0)
  return minutes === undefined ? undefined : new Date(Date.now() - minutes * 60_000).toISOString()
}

/** The messages that a search finds in the window of a call. */
async function findSaid(args: Arguments, { scope, agent, services, signal }: ToolContext, query: string) {
  const target = { agent_id: agent.row.id, roles: ['user', 'assistant'] as const }
  const period = {
    in: 'body',
    start: ['start_minutes_ago', minutesAgo(args, 'start_minutes_ago')],
    end: ['end_minutes_ago', minutesAgo(args, 'end_minutes_ago')],
  } as const
  const search = await prepareMessageSearch(scope, services, target, { query, limit: RESULTS, period, zone: 'UTC' })
  const rows = await services.searchTurns(scope.organizationId, () => findMessages(scope, search, signal))
  return rows.map((row) => resultOf(row, search, new Date()))
}

/** The tools of voice agents and of those that look after their memory. */
export const VOICE_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  async store_memories(args, context) {
    const { thinksAbout } = context
    if (!thinksAbout) throw new ToolError('There is no transcript: this tool works behind the turn of a voice agent.')
    const chunks = Array.isArray(args.chunks) ? (args.chunks as Arguments[]) : []
    const texts = chunks.map((chunk) => chunkText(chunk, thinksAbout.lines))
    const prepared = await prepareMemories(context, thinksAbout.agentId, texts)
    const effect = async (tx: ToolContext['scope']) => {
      await addMemories(tx, thinksAbout.agentId, prepared)
    }
    return { status: 'success', output: `${texts.length} memories are stored.`, effect }
  },
  async search_memory(args, context) {
    const { scope, agent, services, signal } = context
    const said = lastWords(context)
    const search = await prepareMemorySearch(scope, services, agent.row.id, { query: said, top_k: RESULTS })
    const { results } = await services.searchTurns(scope.organizationId, () =>
      searchArchivalMemory(scope, search, signal),
    )
    const queries = optionalTexts(args, 'convo_keyword_queries') ?? [said]
    const conversation: Record<string, unknown> = {}
    for (const query of queries.slice(0, RESULTS)) conversation[query] = await findSaid(args, context, query)
    return pythonText({ archival_memory: results, conversation })
  },
}
