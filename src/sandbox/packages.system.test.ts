import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { npmRegistry, pipIndex } from '../../test/stand-ins/packages.ts'
import type { Server } from '../../test/stand-ins/wire.ts'
import { findDeno } from './deno.ts'
import { type OpenedSandbox, openSandbox } from './open.ts'
import type { SandboxCall } from './sandbox.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-packages-'))
// The user of sandboxes reaches it.
chmodSync(dataDir, 0o755)
let pip: Server
let npm: Server
let opened: OpenedSandbox
beforeAll(async () => {
  pip = await pipIndex([
    {
      name: 'fruit',
      files: { 'fruit.py': 'import stone\ndef name(): return "quince " + stone.KIND' },
      needs: ['stone'],
    },
    { name: 'stone', files: { 'stone.py': 'KIND = "hard"' } },
    {
      name: 'sourced',
      source: true,
      files: { 'setup.py': 'open("/tmp/ran", "w")', 'PKG-INFO': 'Name: sourced\nVersion: 1.0.0\n' },
    },
  ])
  npm = await npmRegistry([
    {
      name: 'fruit',
      files: { 'index.js': 'exports.name = () => "quince " + require("stone").kind' },
      needs: ['stone'],
    },
    {
      name: 'stone',
      files: { 'index.js': 'exports.kind = "hard"' },
      links: { 'out.js': '/etc/passwd', 'up.js': '../../../../../../etc/passwd' },
    },
  ])
  opened = await openSandbox({
    mode: 'auto',
    dataDir,
    packages: join(dataDir, 'packages'),
    packageIndexes: { pip: `${pip.url}/simple/`, npm: npm.url },
  })
})
afterAll(async () => {
  await opened.sandbox.close()
  await Promise.all([pip.close(), npm.close()])
  rmSync(dataDir, { recursive: true, force: true })
})

const run = (
  language: 'python' | 'typescript',
  code: string,
  names: readonly string[],
  more: Partial<SandboxCall> = {},
) =>
  opened.sandbox.run({
    ...{ organizationId: 'org-1', language, code, name: 'tool', args: {}, env: {} },
    packages: names.map((spec) => ({ name: spec.split('=')[0]!, version: spec.split('=')[1] })),
    ...more,
  })

const kind = (
  await openSandbox({
    mode: 'auto',
    dataDir,
    packages: dataDir,
    packageIndexes: { pip: 'http://localhost', npm: 'http://localhost' },
  })
).kind

const IMPORTS = 'import fruit\ndef tool(): return fruit.name()'

describe.skipIf(kind === 'none')('packages of Python tools', () => {
  test('are installed with those that they need, once for calls at the same time, whatever their order', async () => {
    const before = pip.asked.length
    const orders = [
      ['fruit=1.0.0', 'stone'],
      ['stone', 'fruit=1.0.0'],
      ['fruit=1.0.0', 'stone', 'stone'],
    ]
    const results = await Promise.all(orders.map((names) => run('python', IMPORTS, names)))
    expect(results.map(({ text }) => text)).toEqual(Array(3).fill('quince hard'))
    expect(pip.asked.slice(before).filter(({ path }) => path.includes('/files/fruit'))).toHaveLength(1)
    const later = pip.asked.length
    expect((await run('python', IMPORTS, ['stone', 'fruit=1.0.0'])).text).toBe('quince hard')
    expect(pip.asked).toHaveLength(later)
  })

  test('are not shared with another organization, and can’t be changed', async () => {
    const before = pip.asked.length
    await run('python', IMPORTS, ['fruit'], { organizationId: 'org-2' })
    expect(pip.asked.length).toBeGreaterThan(before)
    const code = 'import fruit\ndef tool(): open(fruit.__file__, "a").write("x")'
    expect((await run('python', code, ['fruit'])).text).toContain('Read-only file system')
  })

  test('that there are none of, or as a source alone, are an error with the last lines of the installer', async () => {
    for (const name of ['nothing', 'fruit=9.9.9', 'sourced']) {
      await expect(run('python', IMPORTS, [name])).rejects.toThrow(/No matching distribution/)
    }
    expect(readdirSync(tmpdir())).not.toContain('ran')
  })

  test('end with their caller', async () => {
    const reason = new Error('cancelled')
    const controller = new AbortController()
    pip.otherwise = ({ path }) => (path.includes('/slow/') ? 'never' : undefined)
    const running = opened.sandbox.run(
      {
        organizationId: 'o',
        language: 'python',
        code: IMPORTS,
        name: 'tool',
        args: {},
        env: {},
        packages: [{ name: 'slow' }],
      },
      controller.signal,
    )
    await vi.waitUntil(() => pip.asked.some(({ path }) => path.includes('/slow/')), 50_000)
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

describe.skipIf(kind === 'none' || !findDeno())('packages of TypeScript tools', () => {
  const code = 'import { name } from "fruit"\nexport const tool = () => name()'

  test('are installed with those that they need, without their scripts', async () => {
    expect(await run('typescript', code, ['fruit=1.0.0'])).toMatchObject({ text: 'quince hard', stdout: '' })
    await expect(run('typescript', code, ['nothing'])).rejects.toThrow(/'nothing' does not exist/)
  })

  test('hold no link that leads out of them', async () => {
    const links =
      'import fs from "node:fs"\nexport const tool = () => fs.readdirSync("/packages", { recursive: true }).filter((path) => /\\/(out|up)\\.js$/.test(path as string))'
    expect((await run('typescript', links, ['stone'])).value).toEqual([])
  })
})
