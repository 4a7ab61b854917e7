import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { caller, createMigratedStore, refusal } from '../process.ts'

// Several starts of a real server in one test, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

const CAIRN = ['node', 'src/cli/cairn.ts']

describe('cairn keys', () => {
  test('makes, lists and revokes keys', async () => {
    const store = await createMigratedStore()
    onTestFinished(() => store.drop())
    await (await store.serve()).kill('SIGTERM')
    const made = await store.run([
      'npm',
      'run',
      'cairn',
      '--',
      'keys',
      'create',
      '--name',
      'ci',
      '--scopes',
      'read',
      '--database',
    ])
    expect(made.code).toBe(0)
    const shown = made.output.split('\n').at(-1)!
    const listed = await store.run([...CAIRN, 'keys', 'list', '--database'])
    expect(listed.output).not.toContain(shown)
    const line = listed.output.split('\n').find((text) => text.startsWith('ci '))!
    expect(line).toMatch(/ read +valid +never /)
    const id = /api_key-[0-9a-f-]{36}/.exec(line)![0]

    const server = await store.serve()
    const call = caller(server.url, shown)
    expect((await call('GET', '/v1/archives')).status).toBe(200)
    expect((await call('POST', '/v1/archives', { name: 'x' })).status).toBe(403)
    await server.kill('SIGTERM')

    expect(await store.run([...CAIRN, 'keys', 'revoke', id, '--database'])).toMatchObject({
      code: 0,
      output: `Revoked ${id}.`,
    })
    expect((await store.run([...CAIRN, 'keys', 'list', '--database'])).output).toMatch(/^ci .* revoked /m)
    const again = await store.serve()
    expect((await caller(again.url, shown)('GET', '/v1/archives')).status).toBe(401)
    const unknown = 'api_key-00000000-0000-4000-8000-000000000000'
    await again.kill('SIGTERM')
    await refusal(store, [[...CAIRN, 'keys', 'revoke', unknown, '--database']], unknown)
    expect((await store.run([...CAIRN, 'keys', 'create', '--name', 'x', '--scopes', 'root'])).code).toBe(2)
  })
})
