import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { e2bStandIn } from '../../test/stand-ins/e2b.ts'
import { createE2BSandbox } from './e2b.ts'
import { openSandbox } from './open.ts'
import type { Sandbox, SandboxCall } from './sandbox.ts'

let e2b: Awaited<ReturnType<typeof e2bStandIn>>
let sandbox: Sandbox
const open = (apiKey: string) => createE2BSandbox({ apiKey, apiUrl: e2b.url, sandboxUrl: e2b.url })
beforeAll(async () => {
  e2b = await e2bStandIn('e2b_key')
  sandbox = open('e2b_key')
})
afterAll(() => e2b.close())

const call = (code: string, more: Partial<SandboxCall> = {}, signal?: AbortSignal) =>
  sandbox.run({ organizationId: 'o', language: 'python', code, name: 'tool', args: {}, env: {}, ...more }, signal)

test('tools run at E2B where the operator says so, and are refused without an account', async () => {
  const settings = { mode: 'e2b' as const, dataDir: '/nowhere', packageIndexes: { pip: '', npm: '' } }
  const opened = await openSandbox({ ...settings, e2b: { apiKey: 'e2b_key' } })
  expect([opened.kind, opened.note]).toEqual(['e2b', 'E2B'])
  expect(await openSandbox(settings)).toMatchObject({ kind: 'none', note: expect.stringContaining('E2B_API_KEY') })
})

describe('a tool at E2B', () => {
  test('in Python has its arguments, its environment and its agent, and its machine ends with it', async () => {
    const code =
      'import os\ndef tool(x: int, agent_state):\n  print("out")\n  agent_state.memory.update_block_value("human", "new")\n  return {"x": x, "a": os.environ["A"]}'
    const agentState = { id: 'agent-1', name: 'Ada', blocks: [{ label: 'human', value: 'old' }] }
    expect(await call(code, { args: { x: '2' }, env: { A: 'b' }, agentState })).toEqual({
      ...{ status: 'success', value: { x: 2, a: 'b' }, text: "{'x': 2, 'a': 'b'}" },
      ...{ stdout: 'out\n', stderr: '', memory: { human: 'new' } },
    })
    expect(e2b.machines.size).toBe(0)
  })

  test('in TypeScript has its arguments in the order of its parameters', async () => {
    const code =
      'enum A { B = "b" }\nexport async function tool(x: string, y?: number): Promise<unknown> { return [x, y, A.B] }'
    const more = { language: 'typescript', args: { y: 1, x: 'a' }, parameters: ['x', 'y'] } as const
    expect(await call(code, more)).toMatchObject({ status: 'success', value: ['a', 1, 'b'] })
  })

  test.each([
    ['def tool(): raise ValueError("bad")', 'Error executing function tool: ValueError: bad'],
    ['import os\ndef tool(): os._exit(0)', 'ended without a return'],
    ['import sys\ndef tool(): sys.stdout.close(); raise KeyError(1)', 'KeyError'],
  ])('%j is an error result', async (code, text) => {
    expect(await call(code)).toMatchObject({ status: 'error', text: expect.stringContaining(text) })
  })

  test('that is no TypeScript is an error result', async () => {
    expect(await call('export function tool( {', { language: 'typescript' })).toMatchObject({ status: 'error' })
  })

  test('whose packages can’t be installed has the last lines of the installer', async () => {
    await expect(call('def tool(): pass', { packages: [{ name: 'no-such-package', version: '1' }] })).rejects.toThrow(
      /can't be installed: .*no-such-package/s,
    )
    expect(e2b.machines.size).toBe(0)
  })

  test('with a wrong key fails, and says so without the key', async () => {
    const failed = open('e2b_wrong').run({ organizationId: 'o', language: 'python', code: '', args: {}, env: {} })
    await expect(failed).rejects.toThrow(/^E2B failed: (?!.*e2b_wrong)/s)
  })

  test('ends with its caller, and its machine too', async () => {
    const controller = new AbortController()
    const reason = new Error('cancelled')
    e2b.asked.length = 0
    const running = call('import time\ndef tool(): time.sleep(20)', {}, controller.signal)
    await expect
      .poll(() => e2b.asked.some(({ text }) => text.includes('driver.py /tmp')), { timeout: 20_000 })
      .toBe(true)
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(e2b.machines.size).toBe(0)
  })
})
