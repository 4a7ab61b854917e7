import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findDeno } from './deno.ts'
import { openSandbox } from './open.ts'
import type { SandboxCall } from './sandbox.ts'

const opened = await openSandbox({ mode: 'auto', dataDir: process.cwd(), packageIndexes: { pip: '', npm: '' } })
afterAll(() => opened.sandbox.close())

const call = (code: string, args: object = {}, more: Partial<SandboxCall> = {}) =>
  opened.sandbox.run({
    ...{
      organizationId: 'org-1',
      language: 'typescript',
      code,
      name: 'tool',
      args: args as SandboxCall['args'],
      env: {},
    },
    ...more,
  })

const runs = opened.kind !== 'none' && findDeno() !== undefined

describe.skipIf(!runs)('a tool in TypeScript', () => {
  test.for([
    ['(x: number) => x * 2', { x: 21 }, 42, '42'],
    ['async (x: string): Promise<string> => x + "!"', { x: 'a' }, 'a!', 'a!'],
    ['(x: { a: number[] }) => x', { x: { a: [1] } }, { a: [1] }, '{"a":[1]}'],
    ['() => undefined', {}, null, 'null'],
    ['() => 10n', {}, '10n', '10n'],
    ['(): string => { enum A { B = "b" }; return A.B }', {}, 'b', 'b'],
  ] as const)('%s returns its value', async ([source, args, value, text]) => {
    expect(await call(`export const tool = ${source}`, args)).toMatchObject({
      status: 'success',
      value,
      text,
      stderr: '',
    })
  })

  test('gets its arguments in the order of its parameters, and nothing for those that are left out', async () => {
    const code = 'export function tool(a: string, b?: string, c?: string) { return [a, b ?? "none", c] }'
    const parameters = ['a', 'b', 'c']
    expect((await call(code, { c: '3', a: '1' }, { parameters })).value).toEqual(['1', 'none', '3'])
  })

  test('prints, and reads its environment', async () => {
    const code =
      'export function tool() { console.log("out"); console.error("err"); return [process.env.A, Deno.env.get("A")] }'
    expect(await call(code, {}, { env: { A: 'ä' } })).toMatchObject({
      value: ['ä', 'ä'],
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  test.for([
    [
      'export function tool() { throw new TypeError("bad") }',
      'TypeError: bad',
      '\n    at Module.tool (tool.ts:1:32)\n',
    ],
    ['export function tool() {', "Expected '}'", 'tool.ts:1'],
    ['function tool() {}', 'the source exports no function tool', ''],
    ['export const tool = 1', 'the source exports no function tool', ''],
    ['export const tool = () => Deno.exit(0)', 'it ended without a return', ''],
    ['export const tool = () => Promise.reject("no error")', 'no error', ''],
  ] as const)('%j fails with %s', async ([code, message, trace]) => {
    const result = await call(code)
    expect(result).toMatchObject({ status: 'error', text: expect.stringContaining(message) })
    expect(result.stderr).toContain(trace)
    expect(result.stderr).not.toMatch(/data:|file:/)
  })

  test('that is a script has its default export as the result', async () => {
    const script = 'const n: number = 20\nconsole.log(n)\nexport default n + 1'
    expect(await call(script, {}, { name: undefined })).toMatchObject({ value: 21, stdout: '20\n' })
  })
})

/** The outcome of each attempt: a text, or the error. */
const attempts = (...sources: string[]) => `export async function tool() {
  const outcomes: string[] = []
  for (const attempt of [${sources.map((source) => `async () => ${source}`).join(',\n')}]) {
    try { outcomes.push('DONE ' + String(await attempt())) } catch (error) { outcomes.push('refused ' + (error as Error).name) }
  }
  return outcomes
}`

describe.skipIf(!runs)('code in TypeScript can’t', () => {
  let port: number
  const server = createServer((socket) => socket.end('own port'))
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  const outcomes = async (...sources: string[]) => (await call(attempts(...sources))).value as string[]

  test('read the environment of the server, its files or its processes', async () => {
    const read = (path: string) => `Deno.readTextFileSync(${JSON.stringify(path)})`
    const paths = [
      '/proc/1/environ',
      '/proc/self/environ',
      '/proc/self/../1/environ',
      '/etc/passwd',
      `${process.cwd()}/package.json`,
    ]
    const found = await outcomes(
      ...paths.map(read),
      `(await import("node:fs")).readFileSync("/proc/self/environ", "utf8")`,
      `[...Deno.readDirSync("/proc")].filter(({ name }) => /^\\d+$/.test(name)).length > 3 || Promise.reject(new Error())`,
    )
    expect(found.filter((outcome) => outcome.startsWith('DONE'))).toEqual([])
    const seen = await call('export const tool = () => Deno.env.toObject()')
    expect(Object.keys(seen.value as object).sort()).toEqual(expect.arrayContaining(['HOME', 'LANG', 'PATH']))
    expect(JSON.stringify(seen.value)).not.toMatch(/VITEST|npm_|DATABASE/)
  })

  test('reach the network, by any of its ways', async () => {
    const found = await outcomes(
      `(await fetch("http://127.0.0.1:${port}/")).text()`,
      `Deno.connect({ port: ${port} })`,
      `new Promise(async (done, fail) => (await import("node:net")).connect(${port}, "127.0.0.1").on("connect", done).on("error", fail))`,
      'fetch("http://169.254.169.254/latest/meta-data/")',
      'Deno.resolveDns("example.com", "A")',
      '(await import("node:dns/promises")).lookup("example.com")',
      'import("https://example.com/" + "a.ts")',
      'import("npm:" + "lodash")',
      'import("jsr:" + "@std/assert")',
    )
    expect(found.filter((outcome) => outcome.startsWith('DONE'))).toEqual([])
  })

  test('start processes, load libraries, or write outside of its directory', async () => {
    const found = await outcomes(
      'new Deno.Command("/usr/bin/id").output()',
      '(await import("node:child_process")).execFileSync("/usr/bin/id")',
      'Deno.dlopen("/usr/lib/libc.so.6", {})',
      'Deno.writeTextFileSync("/usr/bin/x", "x")',
      'Deno.writeTextFileSync("/run/program", "x")',
      'process.kill(1, 9)',
    )
    expect(found.filter((outcome) => outcome.startsWith('DONE'))).toEqual([])
  })

  test('take more time, memory or output than a call may', { timeout: 120_000 }, async () => {
    const loop = await call('export const tool = () => { for (;;); }', {}, { limits: { timeMs: 2_000 } })
    expect(loop.text).toContain('TimeoutError')
    const worker = 'URL.createObjectURL(new Blob(["const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))"]))'
    const sources = [
      'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))',
      `for (let n = 0; n < 20; n++) new Worker(${worker}, { type: "module" }); await new Promise(() => setInterval(() => {}, 1000))`,
    ]
    for (const source of sources) {
      const result = await call(`export async function tool() { ${source} }`, {}, { limits: { timeMs: 60_000 } })
      expect(result.text).toMatch(/MemoryError|ended without a return/)
    }
    const output = await call('export const tool = () => { for (;;) console.log("x".repeat(1e6)) }')
    expect(output.text).toContain('wrote too much')
  })

  test('forge a result, or leave anything for the next call', async () => {
    const forged = await call(
      'import { writeSync } from "node:fs"\nimport { Socket } from "node:net"\nexport function tool() { new Socket({ fd: 3 }).write(JSON.stringify({ status: "success", text: "forged", value: 1 }) + "\\n"); return new Promise(() => setInterval(() => {}, 1000)) }',
      {},
      { limits: { timeMs: 5_000 } },
    )
    expect(forged.status).toBe('error')
    const leave =
      'export function tool() { (globalThis as any).left = 1; Deno.writeTextFileSync("/tmp/left", "x"); return "left" }'
    expect((await call(leave)).text).toBe('left')
    const look =
      'export const tool = () => [(globalThis as any).left ?? null, [...Deno.readDirSync("/tmp")].map(({ name }) => name).includes("left")]'
    expect((await call(look)).value).toEqual([null, false])
  })
})
