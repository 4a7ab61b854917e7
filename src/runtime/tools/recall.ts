import { inZone } from '../../lib/clock.ts'
import { pythonText } from '../../lib/python-text.ts'
import { prepareMessageSearch } from '../../resources/messages/prepare-search.ts'
import { type FoundRow, findMessages } from '../../resources/messages/search.ts'
import type { Role } from '../../resources/messages/table.ts'
import type { PreparedSearch } from '../../resources/passages/prepare-search.ts'
import { ToolError } from '../memory.ts'
import { optionalInteger, optionalText, optionalTexts } from './arguments.ts'
import type { BuiltinTool } from './tool.ts'

/** The results of a search that names no number, and of any search. */
const RESULTS = 5
const MAX_RESULTS = 100

/** Who can be named, and who is heard where nobody is named: returns of tools repeat what lies elsewhere. */
const ROLES: readonly Role[] = ['user', 'assistant', 'tool']
const SAID: readonly Role[] = ['user', 'assistant', 'system']

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const

/** The time since an instant: `12s ago`, `5m ago`, `3h ago` or `2d ago`. */
export function timeAgo(instant: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - instant.getTime()) / 1000))
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 's']
  return `${Math.floor(seconds / size)}${unit} ago`
}

/** A found message, as models read it. */
export function resultOf(
  { created_at, role, text, score, fts_rank, vector_rank }: FoundRow,
  search: PreparedSearch,
  now: Date,
) {
  const instant = new Date(created_at)
  return {
    timestamp: inZone(instant, search.clock),
    time_ago: timeAgo(instant, now),
    role: role === 'approval' ? 'assistant' : role,
    content: text,
    ...(search.query !== undefined && { relevance: { score, vector_rank, fts_rank, search_mode: search.mode } }),
  }
}

function rolesIn(roles: readonly string[] | undefined): readonly Role[] {
  const isRole = (role: string): role is Role => ROLES.some((one) => one === role)
  const named = roles?.filter(isRole)
  if (named && named.length < roles!.length)
    throw new ToolError(`The argument "roles" has names of ${ROLES.join(', ')} alone.`)
  return named?.length ? named : SAID
}

/** The tools over earlier messages. */
export const RECALL_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  async conversation_search(args, { scope, agent, services, signal }) {
    const target = { agent_id: agent.row.id, roles: rolesIn(optionalTexts(args, 'roles')) }
    const request = {
      query: optionalText(args, 'query'),
      limit: Math.min(optionalInteger(args, 'limit', 1) ?? RESULTS, MAX_RESULTS),
      period: {
        in: 'body',
        start: ['start_date', optionalText(args, 'start_date')],
        end: ['end_date', optionalText(args, 'end_date')],
      },
      zone: 'agent',
    } as const
    const search = await prepareMessageSearch(scope, services, target, request)
    const rows = await services.searchTurns(scope.organizationId, () => findMessages(scope, search, signal))
    const now = new Date()
    const message = rows.length > 0 ? `Showing ${rows.length} results:` : 'No results found.'
    return pythonText({ message, results: rows.map((row) => resultOf(row, search, now)) })
  },
}
