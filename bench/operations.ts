import { sql } from 'kysely'
import type { Database } from '../src/db/database.ts'
import { INCLUDES } from '../src/resources/agents/query.ts'

export const NAMES = [
  'list_archives',
  'list_folders',
  'retrieve_group',
  'update_block',
  'list_agents',
  'list_agents_all_includes',
  'list_agents_deep',
] as const
export type Name = (typeof NAMES)[number]

/** A request of the API. */
export interface Call {
  method: 'GET' | 'PATCH'
  path: string
  body?: string
}

/** What is measured: one request over and over, or updates, each of another block and to another value. */
export interface Operation {
  name: string
  call: Call
  /** The blocks that are updated in turn; the first is the one of `call`. */
  blocks?: string[] | undefined
}

const PROSE =
  'The person prefers short answers, works from Tuesday to Friday, and keeps notes of every meeting. '.repeat(3)

/** A block's value that no other `n` or `writer` gives, of about 300 characters. */
export const blockValue = (writer: string, n: number) => `${writer} ${n}. ${PROSE}`

/** The same update, of the nth block and to the nth value. */
export function nthUpdate(blocks: readonly string[], writer: string, n: number): { path: string; body: string } {
  return {
    path: `/v1/blocks/${blocks[n % blocks.length]}`,
    body: JSON.stringify({ value: blockValue(writer, n) }),
  }
}

const MANY_BLOCKS = 5_000
const DEEP = 9_000

const get = (path: string): Call => ({ method: 'GET', path })
const ALL_INCLUDES = INCLUDES.map((include) => `&include=${include}`).join('')

/** The operations over the data of an organization. */
export async function findOperations(
  database: Database,
  organizationId: string,
  agents: number,
): Promise<{ measured: (Operation & { name: Name })[]; plain200: Operation; includes200: Operation }> {
  const ids = async (select: ReturnType<typeof sql<{ id: string }>>) =>
    (await select.execute(database.kysely)).rows.map(({ id }) => id)
  const position = Math.min(DEEP, Math.floor(agents * 0.9))
  const [deep] = await ids(sql`select id from agents where organization_id = ${organizationId}
    order by created_at desc, id desc offset ${position - 1} limit 1`)
  const [group] = await ids(sql`select id from groups where organization_id = ${organizationId} limit 1`)
  const blocks = await ids(sql`select id from blocks where organization_id = ${organizationId}
    order by md5(id) limit ${MANY_BLOCKS}`)
  const calls: Record<Name, Call> = {
    list_archives: get('/v1/archives/'),
    list_folders: get('/v1/folders/'),
    retrieve_group: get(`/v1/groups/${group}`),
    update_block: { method: 'PATCH', ...nthUpdate(blocks, 'captured', 0) },
    list_agents: get('/v1/agents/?limit=50'),
    list_agents_all_includes: get(`/v1/agents/?limit=50${ALL_INCLUDES}`),
    list_agents_deep: get(`/v1/agents/?limit=50&after=${deep}`),
  }
  return {
    measured: NAMES.map((name) => ({ name, call: calls[name], ...(name === 'update_block' && { blocks }) })),
    plain200: { name: '200 agents', call: get('/v1/agents/?limit=200') },
    includes200: { name: '200 agents with all includes', call: get(`/v1/agents/?limit=200${ALL_INCLUDES}`) },
  }
}
