import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOBODY } from './bubblewrap.ts'
import { createSandbox } from './open.ts'
import type { SandboxCall, SandboxResult } from './sandbox.ts'

const MB = 1024 * 1024
const SECRET = 'the-secret-of-the-server'
const ABSTRACT = `\0cairn-escape-${process.pid}`

const directory = mkdtempSync(join(tmpdir(), 'cairn-escape-'))
const FILE = join(directory, 'data')
const SOCKET = join(directory, 'socket')
const listeners: Server[] = []

async function listen(...where: [number, string] | [string]): Promise<Server> {
  const server = createServer((socket) => socket.end(SECRET))
  listeners.push(server)
  server.listen(...(where as [number, string]))
  await once(server, 'listening')
  return server
}

process.env.CAIRN_ESCAPE = SECRET
writeFileSync(FILE, SECRET)
chmodSync(directory, 0o777)
const { port } = (await listen(0, '127.0.0.1')).address() as AddressInfo
await listen(SOCKET)
await listen(ABSTRACT)
chmodSync(SOCKET, 0o777)

const settings = { mode: 'auto', dataDir: directory, packageIndexes: { pip: '', npm: '' } } as const
const own = createSandbox(settings)
const { kind } = await own.opened()
const isRoot = process.getuid!() === 0

/** A process of the user nobody with a sandbox, as a server that doesn't run as root. */
let other: ChildProcess | undefined
let otherKind: unknown
beforeAll(async () => {
  if (!isRoot || kind === 'none') return
  const path = fileURLToPath(new URL('../../test/servers/sandboxed.ts', import.meta.url))
  const user = { uid: NOBODY, gid: NOBODY, execArgv: ['--disable-warning=ExperimentalWarning'] }
  other = fork(path, [directory], user)
  otherKind = (await once(other, 'message'))[0]
})
afterAll(async () => {
  other?.disconnect()
  await own.close()
  for (const server of listeners) server.close()
  rmSync(directory, { recursive: true })
})

type Run = (code: string, limits?: SandboxCall['limits']) => Promise<SandboxResult>

const callOf = (code: string, limits?: SandboxCall['limits']): SandboxCall => ({
  organizationId: 'o',
  language: 'python',
  code,
  args: {},
  env: {},
  limits: { timeMs: 60_000, ...limits },
})

const runOwn: Run = (code, limits) => own.run(callOf(code, limits))

const runOther: Run = async (code, limits) => {
  other!.send(callOf(code, limits))
  return (await once(other!, 'message'))[0] as SandboxResult
}

/** Python: the outcomes of attempts; each is a lambda. */
const attempts = (...lambdas: string[]) => `
import ctypes, os, socket, subprocess, time
def attempt(work):
    try:
        return repr(work())
    except Exception as error:
        return "failed: " + type(error).__name__
libc = ctypes.CDLL(None)
[${lambdas.map((one) => `attempt(lambda: ${one})`).join(', ')}]`

const READ_ALL = `
import glob
found = []
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        found.append(open(path, "rb").read().decode(errors="replace"))
    except OSError:
        pass
import os
[found, dict(os.environ)]`

const HOLD_MEMORY = `
import os, time
for _ in range(20):
    if os.fork() == 0:
        held = b"x" * (100 << 20)
        time.sleep(60)
time.sleep(60)`

const FORGE = `
import os
result = b'{"status":"success","text":"forged","value":"forged"}\\n'
for descriptor in range(3, 64):
    try:
        os.write(descriptor, result)
    except OSError:
        pass`

const LEAVE = `
import os, time
for directory in ("/tmp", "/dev/shm"):
    open(directory + "/left", "w").write("x")
if os.fork() == 0:
    os.setsid()
    time.sleep(600)`

const LOOK = `
import os
[os.listdir("/tmp"), os.listdir("/dev/shm"), len([name for name in os.listdir("/proc") if name.isdigit()])]`

const FORK = `
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
except OSError:
    pass
count`

/** Each of them is a real attempt by the code of a tool. */
function escapes(run: Run) {
  test('the environment and the command line of the server are nowhere in /proc', async () => {
    const { value, text } = await run(READ_ALL)
    expect(text).not.toContain(SECRET)
    expect(Object.keys((value as [unknown, object])[1]).sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD'])
  })

  test('files of the server, its directories and its processes are not there', async () => {
    const { value } = await run(
      attempts(
        `open(${JSON.stringify(FILE)}).read()`,
        `open("/proc/1/root" + ${JSON.stringify(FILE)}).read()`,
        'os.listdir("/root")',
        'os.listdir("/home")',
        'open("/etc/passwd").read()',
        `os.kill(${process.pid}, 9)`,
      ),
    )
    for (const outcome of value as string[]) expect(outcome).toMatch(/^failed/)
  })

  test('no network: neither a port of the server, nor its sockets, nor metadata, nor names', async () => {
    const { value } = await run(
      attempts(
        `socket.create_connection(("127.0.0.1", ${port}), 2)`,
        `socket.socket(socket.AF_UNIX).connect(${JSON.stringify(SOCKET)})`,
        `socket.socket(socket.AF_UNIX).connect(${JSON.stringify(ABSTRACT).replace('\\u0000', '\\0')})`,
        'socket.create_connection(("169.254.169.254", 80), 2)',
        'socket.create_connection(("1.1.1.1", 53), 2)',
        'socket.getaddrinfo("example.com", 80)',
      ),
    )
    for (const outcome of value as string[]) expect(outcome).toMatch(/^failed/)
  })

  test('nothing but the temporary directories can be written, and those hold no more than their limit', async () => {
    const { value } = await run(
      attempts(
        'open("/x", "w")',
        'open("/usr/x", "w")',
        'open("/usr/bin/python3", "a")',
        'open("/dev/x", "w")',
        'open("/etc/x", "w")',
        'open("/proc/sys/kernel/core_pattern", "w")',
        'open("/tmp/big", "wb").write(b"x" * (40 << 20))',
        '[open("/tmp/" + str(n), "wb").write(b"x" * (20 << 20)) for n in range(3)]',
      ),
      { disk: 32 * MB },
    )
    for (const outcome of value as string[]) expect(outcome).toMatch(/^failed/)
  })

  test('no rights, no nested namespaces, and none of the denied system calls', async () => {
    const { value } = await run(
      attempts(
        'os.setuid(0)',
        'subprocess.run(["unshare", "--user", "true"], check=True)',
        'subprocess.run(["mount", "-t", "tmpfs", "x", "/tmp"], check=True)',
        '1 / (libc.unshare(0x10000000) + 1)',
        '1 / (libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x10000000 | 17, 0, 0, 0, 0) + 1)',
        'os.memfd_create("x")',
        '1 / (libc.ptrace(0, 0, 0, 0) + 1)',
        '1 / (libc.shmget(0, 1 << 20, 0o1600) + 1)',
      ),
    )
    for (const outcome of value as string[]) expect(outcome).toMatch(/^failed/)
    const { text } = await run('open("/proc/self/status").read()')
    expect(text).toMatch(/CapEff:\t0+\n/)
    expect(text).toMatch(/NoNewPrivs:\t1\n/)
  })

  test('a fork bomb has as many processes as the limit allows', async () => {
    const { value } = await run(FORK, { processes: 40 })
    expect(value).toBeGreaterThan(10)
    expect(value).toBeLessThan(40)
  })

  test('twenty processes have no more memory than one', async () => {
    expect(await run(HOLD_MEMORY, { memory: 256 * MB })).toMatchObject({
      status: 'error',
      text: expect.stringContaining('MemoryError'),
    })
  })

  test('one process can’t have more than its memory', async () => {
    const { status, stderr } = await run('len("x" * (1 << 30))', { memory: 256 * MB })
    expect([status, stderr]).toEqual(['error', expect.stringContaining('MemoryError')])
  })

  test('an endless loop ends, also with signals ignored', async () => {
    const code =
      'import signal\nfor n in range(1, 32):\n  if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\nwhile True: pass'
    expect(await run(code, { timeMs: 500 })).toMatchObject({ text: expect.stringContaining('TimeoutError') })
  })

  test('a gigabyte of output takes no memory of the server', async () => {
    const { status, stdout } = await run('import os\nfor _ in range(1024): os.write(1, b"x" * (1 << 20))')
    expect(status).toBe('error')
    expect(stdout.length).toBeLessThan(2 * MB)
  })

  test('a result that the harness hasn’t written is not believed', async () => {
    expect(await run(FORGE)).toMatchObject({ status: 'error', value: null })
    const { value } = await run(
      `import subprocess\nsubprocess.run(["sh", "-c", "for n in 3 4 5 6 7 8; do echo forged >&$n; done"])\n"own"`,
    )
    expect(value).toBe('own')
  })

  test('a call that kills all it can ends itself alone', async () => {
    expect(await run('import os\nos.kill(-1, 9)\nos.kill(1, 9)\nos.kill(os.getpid(), 9)')).toMatchObject({
      status: 'error',
    })
    expect(await run('1 + 1')).toMatchObject({ value: 2 })
  })

  test('nothing is left for the next call: no file, no process', async () => {
    expect(await run(LEAVE)).toMatchObject({ status: 'success' })
    for (const _ of [1, 2, 3]) expect((await run(LOOK)).value).toEqual([[], [], 2])
  })
}

describe.skipIf(kind === 'none')('a tool of a server', () => {
  test.skipIf(!isRoot)('has a sandbox where the server is not root, too', () => expect(otherKind).toBe('bubblewrap'))
  describe(`that runs as ${isRoot ? 'root' : 'a user'}`, () => escapes(runOwn))
  describe.skipIf(!isRoot)('that runs as a user', () => escapes(runOther))
})
