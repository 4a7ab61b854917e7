import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { foreignFiles, type Json, omitNulls, parseAgentFile } from '../agent-export.ts'
import { startTestServer, type TestServer } from '../server.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const EXAMPLES = join(REPOSITORY, 'examples/agents')

const INCLUDES = ['blocks', 'secrets', 'sources', 'tags', 'tools'].map((name) => `include=agent.${name}`).join('&')

/** The vendor's words, and ours. */
const TRANSLATED: Record<string, string> = {
  letta_v1_agent: 'svc_v1_agent',
  memgpt_agent: 'mem_agent',
  memgpt_v2_agent: 'mem_v2_agent',
}

/** The tools that an agent gets with its first folder. */
const FILE_TOOLS = ['open_files', 'grep_files', 'semantic_search_files']

let server: TestServer
let url: string
let folder: string

beforeAll(async () => {
  server = await startTestServer()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'quickstart-'))
})

afterAll(async () => {
  await server?.close()
  if (folder) rmSync(folder, { recursive: true })
})

interface Run {
  code: number
  out: string
  err: string
}

/** Runs the quickstart as a user would, in a process of its own. */
function quickstart(files: string[] = [], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((done) => {
    const settings = { CAIRN_URL: url, CAIRN_API_KEY: server.alice.key, ...env }
    const options = { cwd: REPOSITORY, env: { PATH: process.env.PATH!, ...settings } }
    execFile(process.execPath, ['examples/quickstart.ts', ...files], options, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const contentOf = (path: string) => parseAgentFile(readFileSync(path, 'utf8'))

/** The agents of a run, with their relations, by name. */
async function agentsOf({ out }: Run): Promise<Map<string, Json>> {
  const run = /run-[0-9a-f]+/.exec(out)![0]
  const { body } = await server.alice.get(`/v1/agents/?tags=${run}&limit=200&${INCLUDES}`)
  return new Map(body.map((agent: Json) => [agent.name, agent]))
}

/** Compares the server's resources after a run with the files. */
async function expectStored(run: Run, paths: string[]) {
  const stored = await agentsOf(run)
  const touched: string[] = []
  let agents = 0
  for (const file of paths.map(contentOf)) {
    for (const said of file.agents) {
      agents += 1
      const agent = stored.get(said.name)
      expect(agent, said.name).toBeDefined()
      expect(agent.system).toBe(said.system)
      expect(agent.description).toBe(said.description)
      expect(agent.agent_type).toBe(TRANSLATED[said.agent_type] ?? said.agent_type)
      expect(agent.tool_rules).toEqual(omitNulls(said.tool_rules))
      expect(agent.metadata ?? null).toEqual(said.metadata)
      for (const field of ['timezone', 'max_files_open', 'per_file_view_window_char_limit', 'message_buffer_autoclear'])
        expect(agent[field], field).toBe(said[field])
      if (said.llm_config) expect(agent.llm_config).toEqual(omitNulls(said.llm_config))
      if (said.embedding_config) expect(agent.embedding_config).toEqual(omitNulls(said.embedding_config))
      if (said.model) expect(agent.model).toBe(said.model)
      if (said.embedding) expect(agent.embedding).toBe(said.embedding)
      if (said.model_settings) expect(agent.model_settings).toMatchObject(said.model_settings)
      expect(agent.tags.slice().sort()).toEqual(['quickstart', /run-[0-9a-f]+/.exec(run.out)![0], ...said.tags].sort())
      const secrets = { QUICKSTART_TOKEN: 'not-a-real-token', ...said.secrets }
      expect(Object.fromEntries(agent.secrets.map((s: Json) => [s.key, s.value]))).toEqual(secrets)
      expect(agent.sources).toHaveLength(1)

      const tools = said.tool_ids.map((id: string) => file.tools.find((tool: Json) => tool.id === id))
      const names = [...tools.map((tool: Json) => tool.name), ...FILE_TOOLS]
      expect(agent.tools.map((tool: Json) => tool.name).sort()).toEqual(names.sort())
      for (const tool of tools) {
        const attached = agent.tools.find((one: Json) => one.name === tool.name)
        expect(attached.tool_type).toBe(tool.tool_type.replace(/^letta_/, 'svc_'))
        if (tool.tool_type !== 'custom') continue
        for (const field of ['source_code', 'source_type', 'json_schema', 'description', 'tags', 'return_char_limit'])
          expect(attached[field], `${tool.name} ${field}`).toEqual(tool[field])
      }

      const blocks = said.block_ids.map((id: string) => file.blocks.find((block: Json) => block.id === id))
      expect(agent.blocks.map((block: Json) => block.label)).toEqual(blocks.map((block: Json) => block.label))
      for (const block of blocks) {
        const attached = agent.blocks.find((one: Json) => one.label === block.label)
        if (attached.value !== block.value) touched.push(attached.value.slice(block.value.length))
        expect(attached.value.startsWith(block.value)).toBe(true)
        for (const field of ['limit', 'description', 'read_only'])
          if (block[field] !== undefined) expect(attached[field], field).toEqual(block[field])
      }
    }
  }
  expect(stored.size).toBe(agents)
  return touched
}

const inFolder = (path: string) =>
  readdirSync(path)
    .sort()
    .map((name) => join(path, name))

describe('the quickstart', () => {
  test('makes the example agents as their files say, and can be run again', async () => {
    const paths = inFolder(EXAMPLES)
    for (const round of ['first', 'second']) {
      const run = await quickstart()
      expect(run.err, round).toBe('')
      expect(run.code, round).toBe(0)
      const touched = await expectStored(run, paths)
      expect(touched).toHaveLength(1)
      expect(touched[0]).toMatch(/^\nQuickstart wrote this line on \d{4}-\d\d-\d\d\.$/)
    }
  })

  test('calls the five operations and prints their results, in lines of at most 100 characters', async () => {
    const { out } = await quickstart()
    for (const call of [
      /^GET \/v1\/archives\/\?agent_id=agent-/m,
      /^GET \/v1\/folders\/\?name=Quickstart\+/m,
      /^GET \/v1\/groups\/group-/m,
      /^PATCH \/v1\/blocks\/block-/m,
      /^GET \/v1\/agents\/\?tags=quickstart&/m,
    ]) {
      expect(out).toMatch(call)
    }
    expect(out).toMatch(/^round_robin +6 +Nora's assistant, Field researcher, Lantern Cycles support$/m)
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('an archive is the first agent’s, and a folder everyone’s', async () => {
    const run = await quickstart()
    const agents = await agentsOf(run)
    const first = agents.get("Nora's assistant")
    const { body: archives } = await server.alice.get(`/v1/archives/?agent_id=${first.id}`)
    expect(archives.map((archive: Json) => archive.name)).toEqual(["Notes of Nora's assistant"])
    expect(new Set([...agents.values()].map((agent) => agent.sources[0].id)).size).toBe(1)
  })

  test('makes the agents of other servers’ files as the files say, twice in a row', async () => {
    for (const round of ['first', 'second']) {
      const run = await quickstart(foreignFiles)
      expect(run.err, round).toBe('')
      expect(run.code, round).toBe(0)
      await expectStored(run, foreignFiles)
    }
  })

  test.each(foreignFiles.map((path) => [basename(path), path]))('runs on one file alone: %s', async (_, path) => {
    const run = await quickstart([path])
    expect(run.err).toBe('')
    expect(run.code).toBe(0)
    await expectStored(run, [path])
  })
})

describe('a quickstart that fails', () => {
  let before: number
  const countAgents = async () => (await server.alice.get('/v1/agents/count')).body
  const countTools = async () => (await server.alice.get('/v1/tools/count')).body

  beforeEach(async () => {
    before = (await countAgents()) + (await countTools())
  })

  async function expectRefused(run: Run, message: RegExp) {
    expect(run.err).toMatch(message)
    expect(run.err).not.toMatch(/^ {4}at /m)
    expect(run.code).toBe(1)
    expect((await countAgents()) + (await countTools())).toBe(before)
  }

  function write(name: string, content: unknown): string {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  test('reports how to pass the key when there is none', async () => {
    await expectRefused(await quickstart([], { CAIRN_API_KEY: '' }), /CAIRN_API_KEY is not set.*\n.*npm run quickstart/)
  })

  test('reports the refused call and the reason', async () => {
    await expectRefused(await quickstart([], { CAIRN_API_KEY: 'wrong' }), /^GET \/v1\/tools\/\S+ → 401: \S+/)
  })

  test('reports that no server responds', async () => {
    const run = await quickstart([], { CAIRN_URL: 'http://127.0.0.1:1' })
    await expectRefused(run, /no response from http:\/\/127\.0\.0\.1:1 .*npm start/)
  })

  test.each([
    ['that is no JSON', 'no.af', '{"agents": [', /no\.af: isn't JSON: /],
    [
      'that is broken inside its string',
      'inner.af',
      JSON.stringify('{"agents": nope}'),
      /inside the JSON string isn't/,
    ],
    ['without agents', 'none.af', { agents: [] }, /none\.af: agents must be an array with an agent in it/],
    [
      'that refers to what it lacks',
      'refs.af',
      { agents: [{ id: 'agent-0', name: 'a', block_ids: ['block-7'] }] },
      /refs\.af: agents\[0\]\.block_ids\[0\] names "block-7", which is not among the file's blocks/,
    ],
    [
      'with a block without a value',
      'value.af',
      { agents: [{ id: 'agent-0', name: 'a' }], blocks: [{ id: 'block-0', label: 'human' }] },
      /value\.af: blocks\[0\]\.value must be a string/,
    ],
    [
      'whose agent has two blocks of one label',
      'labels.af',
      {
        agents: [{ id: 'agent-0', name: 'a', block_ids: ['block-0', 'block-1'] }],
        blocks: ['block-0', 'block-1'].map((id) => ({ id, label: 'human', value: '' })),
      },
      /labels\.af: agents\[0\]\.block_ids names two blocks labelled "human"/,
    ],
    [
      'that uses a tool this server lacks',
      'tool.af',
      {
        agents: [{ id: 'agent-0', name: 'a', tool_ids: ['tool-0'] }],
        tools: [{ id: 'tool-0', name: 'brew_tea', tool_type: 'svc_builtin' }],
      },
      /tool\.af uses the tool "brew_tea" \(svc_builtin\), which this server doesn't have/,
    ],
  ])('stops before anything is created at a file %s', async (_what, name, content, message) => {
    const good = inFolder(EXAMPLES)[0]!
    await expectRefused(await quickstart([good, write(name, content)]), message)
  })

  test('stops at a file that is not there', async () => {
    await expectRefused(await quickstart([join(folder, 'absent.af')]), /absent\.af: can't be read: /)
  })
})
