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
  'list_tools',
  'retrieve_agent',
  'create_agent',
  'import_agent_file',
] as const
export type Name = (typeof NAMES)[number]

/** A request of the API. */
export interface Call {
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  body?: string
  /** `application/json` if absent. */
  contentType?: string
}

/** What is measured: one request over and over, or updates, each of another block and to another value. */
export interface Operation {
  name: string
  call: Call
  /** The blocks that are updated in turn; the first is the one of `call`. */
  blocks?: string[] | undefined
  /** The key of the organization it is for, if that isn't the one that is measured: lists there must stay as they are. */
  key?: string | undefined
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

const ALL_INCLUDES = INCLUDES.map((include) => `&include=${include}`).join('')

/** An agent with four blocks, five tools, three tags and two secrets. */
const newAgent = (tool_ids: string[]) => ({
  name: 'Made',
  include_base_tools: false,
  memory_blocks: ['persona', 'human', 'notes', 'plan'].map((label) => ({ label, value: PROSE })),
  tool_ids,
  tags: ['made', 'bench', 'often'],
  secrets: { API_TOKEN: 'a secret', BASE_URL: 'https://example.com' },
})

const FILE_BYTES = 200_000
const BOUNDARY = 'cairn-bench'

/** A file of an agent that has talked a lot. */
function agentFile(): string {
  const said = (n: number) => ({
    id: `message-${n}`,
    role: n === 0 ? 'system' : n % 2 ? 'user' : 'assistant',
    content: [{ type: 'text', text: PROSE }],
    created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  })
  const messages = Array.from({ length: Math.floor(FILE_BYTES / (PROSE.length + 135)) }, (_, n) => said(n))
  const blocks = ['persona', 'human'].map((label, n) => ({ id: `block-${n}`, label, value: PROSE, limit: 5_000 }))
  const agent = {
    id: 'agent-0',
    name: 'Imported',
    agent_type: 'letta_v1_agent',
    system: PROSE,
    tags: ['imported'],
    block_ids: blocks.map(({ id }) => id),
    messages,
    in_context_message_ids: messages.slice(-20).map(({ id }) => id),
  }
  return JSON.stringify({ agents: [agent], groups: [], blocks, files: [], sources: [], tools: [], mcp_servers: [] })
}

/** The file in a form. */
const form = () =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="agent.af"\r\n` +
  `Content-Type: application/json\r\n\r\n${agentFile()}\r\n--${BOUNDARY}--\r\n`

/** An organization and its key. */
export interface Tenant {
  organizationId: string
  key: string
}

const get = (path: string): Call => ({ method: 'GET', path })
const post = (path: string, body: string, contentType?: string): Call => ({
  method: 'POST',
  path,
  body,
  ...(contentType && { contentType }),
})

/** Operations that are measured against another one, by the name of the ratio. */
export type Compared = Record<'deep_ratio' | 'includes_ratio_200' | 'letta_ratio_50', [Operation, Operation]>

/** The operations over the data of an organization; those that make something do it in another. */
export async function findOperations(
  database: Database,
  { organizationId }: Tenant,
  other: Tenant,
  agents: number,
): Promise<{ measured: (Operation & { name: Name })[]; compared: Compared }> {
  const ids = async (select: ReturnType<typeof sql<{ id: string }>>) =>
    (await select.execute(database.kysely)).rows.map(({ id }) => id)
  const position = Math.min(DEEP, Math.floor(agents * 0.9))
  const [deep] = await ids(sql`select id from agents where organization_id = ${organizationId}
    order by created_at desc, id desc offset ${position - 1} limit 1`)
  const [group] = await ids(sql`select id from groups where organization_id = ${organizationId} limit 1`)
  const blocks = await ids(sql`select id from blocks where organization_id = ${organizationId}
    order by md5(id) limit ${MANY_BLOCKS}`)
  const tools = await ids(sql`select id from tools where organization_id = ${other.organizationId} limit 5`)
  const calls: Record<Name, Call> = {
    list_archives: get('/v1/archives/'),
    list_folders: get('/v1/folders/'),
    retrieve_group: get(`/v1/groups/${group}`),
    update_block: { method: 'PATCH', ...nthUpdate(blocks, 'captured', 0) },
    list_agents: get('/v1/agents/?limit=50'),
    list_agents_all_includes: get(`/v1/agents/?limit=50${ALL_INCLUDES}`),
    list_agents_deep: get(`/v1/agents/?limit=50&after=${deep}`),
    list_tools: get('/v1/tools/'),
    retrieve_agent: get(`/v1/agents/${deep}?${ALL_INCLUDES.slice(1)}`),
    create_agent: post('/v1/agents/', JSON.stringify(newAgent(tools))),
    import_agent_file: post('/v1/agents/import', form(), `multipart/form-data; boundary=${BOUNDARY}`),
  }
  return {
    measured: NAMES.map((name) => ({
      name,
      call: calls[name],
      ...(name === 'update_block' && { blocks }),
      ...(calls[name].method === 'POST' && { key: other.key }),
    })),
    compared: {
      deep_ratio: [
        { name: 'deep page of 50 agents', call: calls.list_agents_deep },
        { name: '50 agents', call: calls.list_agents },
      ],
      includes_ratio_200: [
        { name: '200 agents with all includes', call: get(`/v1/agents/?limit=200${ALL_INCLUDES}`) },
        { name: '200 agents', call: get('/v1/agents/?limit=200') },
      ],
      letta_ratio_50: [
        { name: '50 agents under /letta', call: get('/letta/v1/agents/?limit=50') },
        { name: '50 agents', call: calls.list_agents },
      ],
    },
  }
}
