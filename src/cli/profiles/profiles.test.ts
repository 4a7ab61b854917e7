import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCli } from '../../../test/cli.ts'
import { useTestServer } from '../../../test/server.ts'
import { readClientConfig } from '../../config.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const cli = useCli(server)

/** Settings of an environment that names no server. */
const NONE = { baseUrl: undefined, apiKey: undefined }
const run = (...args: string[]) => cli.cairn(args, { settings: NONE })
const login = (name: string, key: string) =>
  cli.cairn(['login', '--profile', name, '--base-url', `${cli.url}/`], { settings: NONE, input: `${key}\n` })

test('two profiles are two organizations, and the file of their keys is for its owner alone', async () => {
  expect(await run('agents', 'list')).toMatchObject({ code: 2, stderr: expect.stringContaining('cairn login') })
  expect(await login('bob', 'wrong')).toMatchObject({ code: 1, stderr: expect.stringContaining('401') })
  expect((await login('alice', server.alice.key)).code).toBe(0)
  expect((await login('bob', server.bob.key)).code).toBe(0)
  const file = join(cli.directory, 'config', 'config.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)

  expect((await run('agents', 'create', 'Of Bob')).code).toBe(0)
  expect((await run('agents', 'list')).stdout).toContain('Of Bob')
  expect((await run('agents', 'list', '--profile', 'alice')).stderr).toBe('None.\n')
  const listed = (await run('profiles', 'list')).stdout
  expect(listed).toMatch(/bob +\S+ +yes/)
  expect(listed).not.toContain(server.bob.key)

  await run('profiles', 'use', 'alice')
  expect((await run('agents', 'list')).stderr).toBe('None.\n')
  expect(await run('agents', 'list', '--profile', 'carol')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('alice, bob'),
  })
  await run('profiles', 'remove', 'alice')
  expect(readFileSync(file, 'utf8')).not.toContain(server.alice.key)

  chmodSync(file, 0o640)
  expect(await run('agents', 'list')).toMatchObject({ code: 1, stderr: expect.stringContaining('chmod 600') })
})

test('the environment comes before the current profile, and lends no key to a server of another source', async () => {
  const half = await cli.cairn(['agents', 'list'], { settings: { apiKey: undefined } })
  expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('CAIRN_API_KEY') })
})

test('settings come from the usual variables', () => {
  const read = (env: NodeJS.ProcessEnv) => readClientConfig(env)
  expect(read({ XDG_CONFIG_HOME: '/x', EDITOR: 'ed', VISUAL: 'vim' })).toMatchObject({
    configDir: '/x/cairn',
    editor: 'vim',
  })
  expect(read({ CAIRN_BASE_URL: 'https://cairn.example.com/base/' }).baseUrl).toBe('https://cairn.example.com/base')
  expect(() => read({ CAIRN_BASE_URL: 'cairn' })).toThrow('CAIRN_BASE_URL')
  expect([read({}).color, read({ NO_COLOR: '1' }).color, read({ NO_COLOR: '1', FORCE_COLOR: '1' }).color]).toEqual([
    undefined,
    false,
    true,
  ])
})
