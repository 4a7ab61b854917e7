import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../server.ts'
import { type Absence, addPages } from './pages.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-pages-'))
let app: FastifyInstance
let absence: Absence = 'building'
beforeAll(async () => {
  app = createServer({
    bodyLimit: 1024,
    requestTimeout: 60,
    logger: pino({ level: 'silent' }),
    shapes: [],
    proxy: { basePath: '/cairn', trustProxy: [] },
  })
  await addPages(app, directory, () => absence)
  await app.ready()
})
afterAll(async () => {
  await app.close()
  rmSync(directory, { recursive: true })
})

const get = (url: string, accept = 'text/html') => app.inject({ url, headers: { accept } })

test('before the console is built, its pages say why it is missing', async () => {
  const building = await get('/console/')
  expect([building.statusCode, building.body]).toEqual([503, expect.stringContaining('http-equiv="refresh"')])
  absence = 'missing'
  const missing = await get('/console/agents')
  expect([missing.statusCode, missing.body]).toEqual([503, expect.stringContaining('npm run build')])
})

describe('the built console', () => {
  beforeAll(() => {
    mkdirSync(join(directory, 'assets'))
    writeFileSync(join(directory, 'index.html'), '<base href="/console/"><script src="./assets/index-abc.js"></script>')
    writeFileSync(join(directory, 'assets/index-abc.js'), 'export {}')
    writeFileSync(join(directory, 'icon.svg'), '<svg/>')
  })

  test('opens for a browser at the root, and for no other caller', async () => {
    for (const path of ['/', '/cairn', '/cairn/']) {
      const opened = await get(path)
      expect([path, opened.statusCode, opened.headers.location]).toEqual([path, 302, '/cairn/console/'])
      expect([path, (await get(path, '*/*')).statusCode]).toEqual([path, 404])
    }
  })

  test('is one page for each of its paths, with its files below the path of the server', async () => {
    for (const path of ['/console', '/console/', '/console/agents/agent-1', '/cairn/console/', '/console/index.html']) {
      const page = await get(path)
      expect([path, page.statusCode, page.headers['cache-control']]).toEqual([path, 200, 'no-cache'])
      expect(page.headers['content-type']).toContain('text/html')
      expect(page.body).toContain('<base href="/cairn/console/">')
    }
  })

  test('has files with hashed names for ever, and no others', async () => {
    const script = await get('/cairn/console/assets/index-abc.js', '*/*')
    expect([script.statusCode, script.body]).toEqual([200, 'export {}'])
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(script.headers['content-type']).toContain('javascript')
    expect((await get('/console/icon.svg')).headers['content-type']).toContain('svg')
    for (const path of ['/console/assets/former-abc.js', '/console/missing.png']) {
      const { statusCode, headers } = await get(path)
      expect([path, statusCode, headers['cache-control']]).toEqual([path, 404, undefined])
    }
    for (const path of ['/console/assets/..%2f..%2fsecret', '/console/assets/%2e%2e/%2e%2e/secret']) {
      expect((await get(path)).statusCode).toBeGreaterThanOrEqual(400)
    }
  })

  test('has its files in the compressed form that a browser takes, where the build made one', async () => {
    writeFileSync(join(directory, 'assets/index-abc.js.br'), 'brotli')
    writeFileSync(join(directory, 'assets/index-abc.js.gz'), 'gzip')
    writeFileSync(join(directory, 'assets/other-abc.js'), 'plain')
    const asked: [string, string, string, string | undefined][] = [
      ['index-abc.js', 'gzip, deflate, br', 'brotli', 'br'],
      ['index-abc.js', 'gzip', 'gzip', 'gzip'],
      ['index-abc.js', 'identity', 'export {}', undefined],
      ['other-abc.js', 'gzip, br', 'plain', undefined],
    ]
    for (const [name, accepted, body, encoding] of asked) {
      const reply = await app.inject({ url: `/console/assets/${name}`, headers: { 'accept-encoding': accepted } })
      expect([name, accepted, reply.body, reply.headers['content-encoding']]).toEqual([name, accepted, body, encoding])
      expect(reply.headers.vary).toBe('accept-encoding')
      expect(reply.headers['content-type']).toContain('javascript')
      expect(reply.headers['cache-control']).toContain('immutable')
    }
  })

  test('runs its own scripts alone, in no frame of another page', async () => {
    for (const path of ['/console/', '/console/assets/index-abc.js', '/console/icon.svg']) {
      const { headers } = await get(path)
      const policy = String(headers['content-security-policy'])
      expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self'")])
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy.match(/script-src[^;]*/)![0]).toBe("script-src 'self'")
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    }
  })

  test('is no part of the surface for Letta clients', async () => {
    for (const path of ['/letta/', '/letta/console/', '/letta/console/assets/index-abc.js']) {
      expect([path, (await get(path)).statusCode]).toEqual([path, 404])
    }
  })
})
