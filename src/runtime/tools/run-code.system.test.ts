import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { pipIndex } from '../../../test/stand-ins/packages.ts'
import type { Server } from '../../../test/stand-ins/wire.ts'
import { callTool } from '../../../test/tool-calls.ts'
import { findDeno } from '../../sandbox/deno.ts'
import { createSandbox } from '../../sandbox/open.ts'

const packages = mkdtempSync(join(tmpdir(), 'cairn-packages-'))
// The user of sandboxes reaches it.
chmodSync(packages, 0o755)
const probe = createSandbox({ mode: 'auto', dataDir: '/nowhere', packageIndexes: { pip: '', npm: '' } })
const runs = (await probe.opened()).kind !== 'none'
await probe.close()

let index: Server
let server: TestServer
beforeAll(async () => {
  index = await pipIndex([{ name: 'fruit', files: { 'fruit.py': 'NAME = "quince"' } }])
  const packageIndexes = { pip: `${index.url}/simple/`, npm: 'http://localhost' }
  server = await startTestServer({ defaultModel: 'cairn/scripted', packages, packageIndexes })
})
afterAll(async () => {
  await server.close()
  await index.close()
  rmSync(packages, { recursive: true, force: true })
})

const agentWith = async (body: object) => (await server.bob.post('/v1/agents/', { name: 'Coder', ...body })).body.id

describe.skipIf(!runs)('an agent that runs programs', () => {
  const run = async (args: object) => {
    const { status, tool_return } = await callTool(
      server.bob,
      await agentWith({ tools: ['run_code'] }),
      'run_code',
      args,
    )
    return {
      status,
      output: status === 'success' || tool_return.startsWith('{') ? JSON.parse(tool_return) : tool_return,
    }
  }

  test('gets their results and what they print, in Python and in JavaScript', async () => {
    expect(await run({ language: 'python', code: 'print("out")\n6 * 7' })).toEqual({
      status: 'success',
      output: { results: ['42'], logs: { stdout: ['out\n'], stderr: [] } },
    })
    if (!findDeno()) return
    expect((await run({ language: 'js', code: 'console.log(1)\nexport default [6 * 7]' })).output).toMatchObject({
      results: ['[42]'],
    })
    expect((await run({ language: 'ts', code: 'const n: number = 1; console.log(n)' })).output).toMatchObject({
      results: [],
      logs: { stdout: ['1\n'] },
    })
  })

  test('reads their errors, and which languages there are', async () => {
    expect(await run({ language: 'python', code: '1 / 0' })).toMatchObject({
      status: 'error',
      output: { error: expect.stringContaining('ZeroDivisionError') },
    })
    expect(await run({ language: 'java', code: 'x' })).toMatchObject({
      status: 'error',
      output: expect.stringContaining('python, js, ts'),
    })
  })
})

describe.skipIf(!runs)('the settings of an organization’s sandboxes', () => {
  const URL = '/v1/sandbox-config'
  const SOURCE =
    'def peel() -> str:\n    """Peels."""\n    import os, fruit\n    return fruit.NAME + os.environ["COLOR"]'
  const peel = (client = server.bob) => client.post('/v1/tools/run', { source_code: SOURCE, args: {} })

  test('give every tool of the organization their variables and packages, which are installed anew where that is asked for', async () => {
    const { bob, alice } = server
    const { id } = (
      await bob.post(`${URL}/local`, { use_venv: true, pip_requirements: [{ name: 'fruit', version: '1.0.0' }] })
    ).body
    await bob.post(`${URL}/${id}/environment-variable`, { key: 'COLOR', value: ' yellow' })
    expect((await peel()).body).toMatchObject({ status: 'success', tool_return: 'quince yellow' })
    expect((await peel(alice)).body).toMatchObject({
      status: 'error',
      tool_return: expect.stringContaining('ModuleNotFoundError'),
    })
    const installed = () => index.asked.filter(({ path }) => path.startsWith('/files/')).length
    const before = installed()
    expect((await bob.post(`${URL}/local/recreate-venv`)).body.id).toBe(id)
    expect((await peel()).body.tool_return).toBe('quince yellow')
    expect(installed()).toBe(before + 1)
    await bob.patch(`${URL}/${id}`, { config: { use_venv: false } })
    expect((await peel()).body.tool_return).toContain('ModuleNotFoundError')
  })
})

describe.skipIf(!runs || !findDeno())('a tool in TypeScript', () => {
  const source_code = `
/**
 * Joins words.
 * @param first The first word.
 * @param second The second word.
 */
export function join(first: string, second: string): string {
  return [first, second, process.env.MARK].join(' ')
}`

  test('runs for an agent, with its secrets, and by itself: its arguments in the order of its parameters', async () => {
    const { bob } = server
    const tool = (await bob.post('/v1/tools/', { source_code, source_type: 'typescript' })).body
    const agent = await agentWith({ tool_ids: [tool.id], secrets: { MARK: '!' } })
    expect(await callTool(bob, agent, 'join', { second: 'two', first: 'one' })).toEqual({
      status: 'success',
      tool_return: 'one two !',
    })
    const args = { second: 'two', first: 'one' }
    const alone = await bob.post('/v1/tools/run', {
      source_code,
      source_type: 'typescript',
      args,
      env_vars: { MARK: '?' },
    })
    expect(alone.body.tool_return).toBe('one two ?')
  })
})
