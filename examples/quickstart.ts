/**
 * Creates agents on a running server from agent files, over the public API, and prints the server's responses.
 *
 *   npm run quickstart                      the agents in examples/agents/
 *   npm run quickstart -- FILE.af …         the agents in these files
 */

import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { BadAgentFile, readAgentFile } from './agent-file.ts'
import { type Call, CallFailed, connect } from './api.ts'
import { type Block, type Created, createAll, type UsedTool } from './create.ts'
import { type Column, shorten, table } from './table.ts'

const INCLUDES = ['blocks', 'identities', 'managed_group', 'pending_approval', 'secrets', 'sources', 'tags', 'tools']

interface Archive {
  id: string
  name: string
  embedding_config?: { handle?: string; embedding_dim: number }
  created_at: string
}

interface Folder extends Archive {
  instructions?: string
}

interface Group {
  id: string
  manager_type: string
  agent_ids: string[]
  max_turns?: number
}

interface Agent {
  id: string
  name: string
  model?: string
  llm_config: { model: string; handle?: string }
  blocks: Block[]
  tools: { name: string }[]
  tool_rules?: { type: string; tool_name: string }[]
  sources: { name: string }[]
  secrets?: { key: string }[]
  tags: string[]
}

/** The agent files of the command line, or else those in examples/agents/. */
function agentFilePaths(args: string[]): string[] {
  // npm runs scripts in the package's folder; INIT_CWD is the user's working directory.
  if (args.length > 0) return args.map((path) => resolve(process.env.INIT_CWD ?? '.', path))
  const folder = join(import.meta.dirname, 'agents')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.af'))
    .sort()
    .map((name) => join(folder, name))
}

const columns = process.stdout.columns || 100

/** Prints a request and its response. */
function show<Row>(request: string, rows: Row[], fields: Column<Row>[]) {
  console.log(`\n${shorten(request, columns)}`)
  console.log(table(fields, rows, columns))
}

/** A list of names, such as of an agent's tools. */
const names = (list: readonly unknown[]) => list.join(', ')

const embeddingOf = ({ embedding_config: config }: Archive) =>
  config && `${config.handle ?? ''} (${config.embedding_dim})`

/** Sends five requests about the created resources, and prints the responses. */
async function showAll(call: Call, created: Created, tags: string[]) {
  async function get<T>(path: string, query: [string, string][] = []) {
    const url = query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path
    return { request: `GET ${url}`, response: await call<T>('GET', url) }
  }

  const archives = await get<Archive[]>('/v1/archives/', [['agent_id', created.agents[0]!.id]])
  show(archives.request, archives.response, [
    { title: 'ARCHIVE', show: ({ name }) => name },
    { title: 'EMBEDDING', show: embeddingOf },
    { title: 'ID', show: ({ id }) => id, fixed: true },
  ])

  const folders = await get<Folder[]>('/v1/folders/', [['name', created.folder.name]])
  show(folders.request, folders.response, [
    { title: 'FOLDER', show: ({ name }) => name },
    { title: 'INSTRUCTIONS', show: ({ instructions }) => instructions },
    { title: 'ID', show: ({ id }) => id, fixed: true },
  ])

  const group = await get<Group>(`/v1/groups/${created.group.id}`)
  const nameOf = new Map(created.agents.map(({ id, name }) => [id, name]))
  show(
    group.request,
    [group.response],
    [
      { title: 'MANAGER', show: ({ manager_type }) => manager_type },
      { title: 'TURNS', show: ({ max_turns }) => max_turns },
      { title: 'AGENTS', show: ({ agent_ids }) => names(agent_ids.map((id) => nameOf.get(id))) },
    ],
  )

  const line = `\nQuickstart wrote this line on ${new Date().toISOString().slice(0, 10)}.`
  const block = await blockWithRoom(call, created.blocks, line)
  const patched = await call<Block>('PATCH', `/v1/blocks/${block.id}`, { value: block.value + line })
  show(
    `PATCH /v1/blocks/${block.id}`,
    [patched],
    [
      { title: 'BLOCK', show: ({ label }) => label },
      { title: 'CHARACTERS', show: ({ value, limit }) => `${[...value].length} of ${limit}` },
      { title: 'LAST LINE', show: ({ value }) => value.split('\n').at(-1) },
    ],
  )

  const agents = await get<Agent[]>('/v1/agents/', [
    ...tags.map((tag): [string, string] => ['tags', tag]),
    ['match_all_tags', 'true'],
    ['order', 'asc'],
    ['limit', '200'],
    ...INCLUDES.map((name): [string, string] => ['include', `agent.${name}`]),
  ])
  show(agents.request, agents.response, [
    { title: 'AGENT', show: ({ name }) => name },
    { title: 'MODEL', show: ({ model, llm_config }) => model ?? llm_config.handle ?? llm_config.model },
    { title: 'FOLDER', show: ({ sources }) => names(sources.map(({ name }) => name)) },
    { title: 'OWN TAGS', show: (agent) => names(agent.tags.filter((tag) => !tags.includes(tag))) },
  ])
  const related: Column<Agent>[] = [
    { title: 'AGENT', show: ({ name }) => name },
    { title: 'BLOCKS', show: ({ blocks }) => names(blocks.map(({ label }) => label)) },
    { title: 'TOOLS', show: ({ tools }) => names(tools.map(({ name }) => name)) },
    { title: 'RULES', show: ({ tool_rules }) => tool_rules?.length ?? 0 },
    { title: 'SECRETS', show: ({ secrets }) => names(secrets?.map(({ key }) => key) ?? []) },
  ]
  console.log(`\n${table(related, agents.response, columns)}`)
}

/** A block with room for another line: one of the given blocks, or else a new one. */
async function blockWithRoom(call: Call, blocks: Block[], line: string): Promise<Block> {
  const hasRoom = ({ value, limit }: Block) => [...value].length + line.length <= limit
  const open = blocks.find((block) => !block.read_only && hasRoom(block))
  return open ?? call<Block>('POST', '/v1/blocks/', { label: 'notes', value: 'A block of no agent yet.' })
}

/** A count with its noun: 1 block, 2 blocks. */
const count = (list: unknown[], noun: string) => `${list.length} ${noun}${list.length === 1 ? '' : 's'}`

function summaryOf({ tools, blocks, agents }: Created): string {
  const ids = (list: UsedTool[]) => [...new Set(list.map(({ tool }) => tool.id))]
  const createdIds = ids(tools.filter(({ origin }) => origin === 'created'))
  const others = ids(tools).filter((id) => !createdIds.includes(id))
  const created = [count(agents, 'agent'), count(blocks, 'block'), count(createdIds, 'tool')]
  const differing = new Set(tools.filter(({ origin }) => origin === 'different').map(({ tool }) => tool.name))
  return [
    `Created  ${names(created)}, an archive, a folder, a group`,
    `Found    ${count(others, 'tool')} that the server had already`,
    ...[...differing].map(
      (name) => `Note     "${name}" is the server's own tool of that name: the file's has another source`,
    ),
  ].join('\n')
}

async function main(args: string[]) {
  const url = (process.env.CAIRN_URL || 'http://localhost:8283').replace(/\/+$/, '')
  const key = process.env.CAIRN_API_KEY
  if (!key) {
    throw new CallFailed(
      'CAIRN_API_KEY is not set: it is the key the server printed when it first started. Pass it like this:\n' +
        '  CAIRN_API_KEY=… npm run quickstart',
    )
  }
  // All files are read before the first request, so that an invalid one leaves no partial result.
  const paths = agentFilePaths(args)
  const files = paths.map(readAgentFile)
  for (const path of paths) console.log(`Reading  ${relative(process.cwd(), path)}`)

  const call = connect(url, key)
  const run = randomUUID().slice(0, 8)
  const tags = ['quickstart', `run-${run}`]
  const created = await createAll(call, files, run, tags)
  console.log(summaryOf(created))
  console.log(`Tags     ${names(tags)}`)
  await showAll(call, created, tags)
}

// A closed pipe, as after `| head`, is no failure.
process.stdout.on('error', () => process.exit())

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CallFailed || error instanceof BadAgentFile)) throw error
  console.error(error.message)
  process.exitCode = 1
}
