import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../server.ts'
import { missingPrograms, TERMINAL_CLIENTS } from './packages.ts'

const missing = await missingPrograms()
if (missing) console.log(`letta-code is left out: ${missing}`)

interface Result {
  is_error: boolean
  result: string
  agent_id: string
  conversation_id: string
}

const NEW_AGENT = ['--new-agent', '-m', 'cairn/scripted']

describe.skipIf(missing).each(TERMINAL_CLIENTS)('letta-code $version', ({ program, tool, argument }) => {
  const shell = (command: string) => `!call ${tool} ${JSON.stringify({ [argument]: command, description: 'A test.' })}`
  let server: TestServer
  let home: string
  let env: Record<string, string>
  beforeAll(async () => {
    server = await startTestServer({ defaultModel: 'cairn/scripted' })
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    home = mkdtempSync(join(tmpdir(), 'cairn-home-'))
    const address = { LETTA_BASE_URL: `${url}/letta`, LETTA_API_KEY: server.alice.key }
    env = { ...address, HOME: home, PATH: process.env.PATH!, DISABLE_AUTOUPDATER: '1' }
  })
  afterAll(async () => {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  })

  /** Starts the program on a prompt, without a terminal. */
  function begin(prompt: string, where: readonly string[]) {
    const options = ['--backend', 'api', '--no-memfs', '--toolset', 'default', '--yolo', '--output-format', 'json']
    const child = spawn(process.execPath, [program, ...options, ...where, '-p', prompt], { cwd: home, env })
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
    })
    child.stderr.on('data', (text) => {
      output += text
    })
    const ended = new Promise<string>((done) => child.on('close', () => done(output)))
    return { child, ended }
  }

  async function ask(prompt: string, where: readonly string[] = NEW_AGENT) {
    const output = await begin(prompt, where).ended
    expect(output).toContain('"type": "result"')
    const result = JSON.parse(output.slice(output.indexOf('{'))) as Result
    expect(result.is_error).toBe(false)
    return result
  }

  test('gets an answer, and another one of the same agent', async () => {
    const first = await ask('Good morning')
    expect(first.result).toContain('I am cairn/scripted')
    const second = await ask('And again', ['--agent', first.agent_id])
    expect(second).toMatchObject({ agent_id: first.agent_id, result: expect.stringContaining('I am cairn/scripted') })
    const third = await ask('Here', ['--conversation', second.conversation_id])
    expect(third.conversation_id).toBe(second.conversation_id)
  })

  test('runs its own tool, whose return the model reads', async () => {
    expect((await ask(shell('echo from the client'))).result).toMatch(/ returned: .*from the client/s)
  })

  test('runs three tools that the model calls at once', async () => {
    const { result } = await ask(['one', 'two', 'three'].map((word) => shell(`echo ${word}`)).join(' '))
    for (const word of ['one', 'two', 'three']) expect(result).toMatch(new RegExp(`${tool} returned: .*${word}`, 's'))
  })

  test('that is killed while its tool runs gets an answer the next time', async () => {
    const { child, ended } = begin(shell('sleep 300'), NEW_AGENT)
    const waiting = async () => (await server.alice.get('/v1/runs/?stop_reason=requires_approval&limit=1')).body[0]
    await expect.poll(waiting, { timeout: 60_000 }).toBeDefined()
    child.kill('SIGKILL')
    await ended
    const { conversation_id } = await waiting()
    expect((await ask('Are you there?', ['--conversation', conversation_id])).result).toContain('I am cairn/scripted')
  })
})
