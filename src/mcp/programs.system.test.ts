import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { programOf } from '../../test/stand-ins/mcp-program.ts'
import { parsePrograms } from '../lib/mcp-programs.ts'
import { createSandbox } from '../sandbox/open.ts'
import { createMcpClient } from './client.ts'
import { createPrograms } from './programs.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-programs-'))
const dataDir = join(directory, 'data')
mkdirSync(dataDir)
chmodSync(directory, 0o755)
writeFileSync(join(dataDir, 'key'), 'secret')
writeFileSync(join(directory, 'notes'), 'open')

const sandbox = createSandbox({ mode: 'auto', dataDir, packageIndexes: { pip: '', npm: '' } })
const { kind } = await sandbox.opened()
afterAll(async () => {
  await sandbox.close()
  rmSync(directory, { recursive: true })
})

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function start(program = programOf()) {
  const stderr: string[] = []
  const programs = createPrograms({
    programs: { one: program },
    enclose: sandbox.encloseService,
    version: 'test',
    log: (_, text) => stderr.push(text),
  })
  open.push(programs)
  const client = createMcpClient({ fetch, version: 'test', programs })
  const impatient = createMcpClient({ fetch, version: 'test', programs }, { listMs: 300, callMs: 300 })
  const addressFor = (organizationId: string) => ({
    ...{ key: organizationId, organizationId },
    ...{ type: 'stdio' as const, name: 'one' },
  })
  const call = async (name: string, args: Record<string, unknown> = {}, organization = 'org-1', by = client) =>
    (await by.callTool(addressFor(organization), { name, inputSchema: { type: 'object' } }, args)).text
  const look = (code: string, by = client) => call('look', { code }, 'org-1', by)
  return { client, impatient, call, look, stderr, address: addressFor('org-1') }
}

describe.skipIf(kind === 'none')('an MCP server that is a program', () => {
  test('lists its tools, and runs on between calls, for each organization by itself', async () => {
    const { client, call, address } = start()
    expect((await client.listTools(address)).map(({ name }) => name)).toEqual(['echo', 'count', 'look'])
    expect(await call('echo', { message: 'hello' })).toBe('Echo: hello')
    expect(await call('count')).toBe('1')
    expect(await Promise.all([call('count'), call('count')])).toEqual(['2', '3'])
    expect(await call('count', {}, 'org-2')).toBe('1')
  })

  test('that ends when it is asked for its era is an older one', async () => {
    expect(await start(programOf({}, '--ends')).call('echo', { message: 'hello' })).toBe('Echo: hello')
  })

  test('has its own environment alone, no network, and the directories that it may see without the data of the server', async () => {
    process.env.CAIRN_PROGRAM = 'of the server'
    const { look } = start(programOf({ env: { TOKEN: 'of the program' }, read: [directory] }))
    const environment = await look('dict(os.environ)')
    expect(JSON.parse(environment)).toMatchObject({ TOKEN: 'of the program', HOME: '/tmp' })
    expect(environment + (await look('open("/proc/1/environ").read()'))).not.toContain('of the server')
    delete process.env.CAIRN_PROGRAM
    expect(JSON.parse(await look(`[open("${directory}/notes").read(), os.listdir("${dataDir}")]`))).toEqual([
      'open',
      [],
    ])
    expect(JSON.parse(await look('os.listdir("/sys/class/net") if os.path.exists("/sys") else []'))).toEqual([])
    expect(JSON.parse(await look(`os.access("${directory}", os.W_OK)`))).toBe(false)
  })

  test('is started again after it has crashed, whose call fails', async () => {
    const { call, look, stderr } = start()
    expect(await call('count')).toBe('1')
    await expect(look('sys.exit("the reason")')).rejects.toMatchObject({ message: 'the program has ended' })
    expect(stderr).toEqual(['the reason\n'])
    expect(await call('count')).toBe('1')
  })

  test('is ended when it hangs, or writes without end, and started again', async () => {
    const { impatient, call, look } = start()
    expect(await call('count')).toBe('1')
    await expect(look('time.sleep(60)', impatient)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await call('count')).toBe('1')
    const flood = look('[sys.stdout.write(("x" * 100_000 + chr(10)) * 10) for _ in range(10 ** 9)]')
    await expect(flood).rejects.toMatchObject({ message: 'the program was ended: it writes too much' })
    expect(await call('count')).toBe('1')
  })

  test('that can’t be started, or isn’t for the organization, says so, and gets a pause', async () => {
    const absent = start(programOf({ command: 'no-such-program', args: [] }))
    for (let n = 0; n < 3; n++) {
      await expect(absent.call('count')).rejects.toMatchObject({ message: 'the program has ended' })
    }
    expect(absent.stderr[0]).toContain('no-such-program')
    await expect(absent.call('count')).rejects.toThrow('it has failed 3 times')
    await expect(start(programOf({ organizations: ['org-2'] })).call('count')).rejects.toMatchObject({
      message: 'the settings of this server do not name it',
    })
  })
})

test('the file of programs is the usual one, and a mistake in it is named', () => {
  const of = (program: object) => JSON.stringify({ mcpServers: { files: program } })
  expect(parsePrograms(of({ command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }))).toEqual({
    files: { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
  })
  for (const [program, message] of [
    [{ args: [] }, '/mcpServers/files must have required properties command'],
    [{ command: 'x', url: 'y' }, '/mcpServers/files/url is not a field of an MCP server'],
    [{ command: 'x', read: ['relative'] }, '/mcpServers/files/read/0 must match pattern "^/"'],
  ] as const) {
    expect(() => parsePrograms(of(program))).toThrow(message)
  }
})
