import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/open.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { callTool } from '../tool-calls.ts'
import { CLIENT_FAILURES, CLIENT_LEFT_OUT, SERVER_FAILURES } from './conformance.ts'
import { EVERYTHING, FILESYSTEM, MCP_FOLDER, missingMcp, SUITE } from './mcp-packages.ts'

const missing = await missingMcp()
if (missing) console.log(`MCP servers and the conformance suite are left out: ${missing}`)

const probe = createSandbox({ mode: 'auto', dataDir: '/nowhere', packageIndexes: { pip: '', npm: '' } })
const { kind: sandbox } = await probe.opened()
await probe.close()

const notes = mkdtempSync(join(tmpdir(), 'cairn-notes-'))
chmodSync(notes, 0o755)
writeFileSync(join(notes, 'list.txt'), 'Buy tea.')

const node = { command: process.execPath, read: [dirname(process.execPath), MCP_FOLDER] }
const mcpPrograms = {
  everything: { ...node, args: [EVERYTHING, 'stdio'] },
  files: { ...node, args: [FILESYSTEM, notes], read: [...node.read, notes] },
}

let server: TestServer
let url: string
beforeAll(async () => {
  server = await startTestServer({ defaultModel: 'cairn/scripted', mcpPrograms })
  url = await server.app.listen({ port: 0, host: '127.0.0.1' })
  await server.app.registerPrograms()
  await server.settle()
})
afterAll(async () => {
  await server.close()
  rmSync(notes, { recursive: true })
})

/** Runs a program to its end, which has a minute. Returns its output, whatever its exit code. */
const outputOf = (file: string, args: string[]) =>
  promisify(execFile)(process.execPath, [file, ...args], { timeout: 60_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  )

const named = async (name: string) => {
  const servers = (await server.alice.get('/v1/mcp-servers/')).body
  return servers.find(({ server_name }: { server_name: string }) => server_name === name)
}

/** Has an agent call a tool of a server. */
async function called(one: { id: string }, tool: string, args: object) {
  const tools = (await server.alice.get(`/v1/mcp-servers/${one.id}/tools`)).body
  const { id, name } = tools.find(({ name }: { name: string }) => name.endsWith(tool))
  const agent = (await server.alice.post('/v1/agents/', { tool_ids: [id] })).body
  return callTool(server.alice, agent.id, name, args)
}

describe.skipIf(missing)('the servers of the protocol’s makers', () => {
  test.skipIf(sandbox === 'none')('run as programs', async () => {
    const everything = await named('everything')
    expect(everything).not.toHaveProperty('sync_error')
    expect(await called(everything, 'echo', { message: 'hello' })).toMatchObject({ tool_return: 'Echo: hello' })
    const path = join(notes, 'list.txt')
    expect(await called(await named('files'), 'read_text_file', { path })).toMatchObject({ tool_return: 'Buy tea.' })
    const outside = await called(await named('files'), 'read_text_file', { path: '/etc/passwd' })
    expect(outside).toMatchObject({ status: 'error', tool_return: expect.stringContaining('Access denied') })
  })

  test.each([
    ['streamableHttp', 'streamable_http', 'mcp'],
    ['sse', 'sse', 'sse'],
  ])('answer over %s', async (transport, mcp_server_type, path) => {
    const port = await freePort()
    const child = spawn(process.execPath, [EVERYTHING, transport], { env: { PORT: String(port) }, stdio: 'ignore' })
    try {
      await expect.poll(() => reached(port), { timeout: 60_000 }).toBe(true)
      const config = { mcp_server_type, server_url: `http://127.0.0.1:${port}/${path}` }
      const one = (await server.alice.post('/v1/mcp-servers/', { server_name: transport, config })).body
      expect(one).not.toHaveProperty('sync_error')
      expect(await called(one, 'get-sum', { a: 2, b: 3 })).toMatchObject({ tool_return: 'The sum of 2 and 3 is 5.' })
    } finally {
      child.kill()
    }
  })
})

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.close()
  return port
}

const reached = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )

test('a client of the protocol’s makers lists the tools of this server, and calls them', async () => {
  for (const mode of ['auto', 'legacy'] as const) {
    const headers = { Authorization: `Bearer ${server.alice.key}` }
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
    const client = new McpClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('send_message')
    const made = await client.callTool({ name: 'create_agent', arguments: { name: `Ada ${mode}` } })
    expect(made).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining(`Ada ${mode}`) }] })
    await client.close()
  }
})

const RUNNER = fileURLToPath(new URL('conformance-client.ts', import.meta.url))

/** Runs the suite. Its results go to a directory that is removed again. */
async function suite(...args: string[]): Promise<string> {
  const results = mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
  const output = await outputOf(SUITE, [...args, '-o', results])
  rmSync(results, { recursive: true })
  return output
}

/** The scenarios for clients, as the suite lists them. */
const clientScenarios = async () => {
  const [, list = ''] = (await outputOf(SUITE, ['list'])).split('Client scenarios')
  return [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!)
}

const scenarios = missing ? [''] : (await clientScenarios()).filter((name) => !(name in CLIENT_LEFT_OUT))

describe.skipIf(missing)('the conformance suite', () => {
  test.each(scenarios)('tests our client: %s', async (scenario) => {
    const command = `${process.execPath} --disable-warning=ExperimentalWarning ${RUNNER}`
    const output = await suite('client', '--scenario', scenario, '--command', command, '--timeout', '40000')
    expect(output.includes('OVERALL: PASSED'), output.slice(-2_000)).toBe(!(scenario in CLIENT_FAILURES))
  })

  describe('tests our server', () => {
    // The suite has no key to send.
    const proxy = createServer((request, response) => {
      const headers = { ...request.headers, authorization: `Bearer ${server.alice.key}` }
      const to = send(`${url}${request.url}`, { method: request.method!, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      request.pipe(to)
    })
    afterAll(() => void proxy.close())

    test('and what it finds is known', async () => {
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const { port } = proxy.address() as AddressInfo
      const output = await suite('server', '--url', `http://127.0.0.1:${port}/mcp`)
      expect(output).toMatch(/^✓ dns-rebinding-protection/m)
      const failed = [...output.matchAll(/^✗ (\S+):/gm)].map(([, name]) => name)
      expect(failed.sort()).toEqual(Object.keys(SERVER_FAILURES).sort())
    })
  })
})
