import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caller, createStore, type Env, type Server, type Store } from '../process.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The environment of a user: the Node of the machine instead of the project's, and nothing of an npm around the tests. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_(registry|userconfig|cache))|INIT_CWD)/i.test(name)),
) as Env
env.PATH = env
  .PATH!.split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter)

describe('the npm package', () => {
  let store: Store
  let folder: string
  let server: Server
  beforeAll(async () => {
    store = await createStore()
    folder = join(store.directory, 'empty')
    mkdirSync(folder)
    // A folder that has been built before packs a whole package, too.
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, env })
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', store.directory], { cwd: ROOT, env })
    const file = join(store.directory, packed.toString().trim().split('\n').at(-1)!)
    const npx = `cd "${folder}" && exec npx --yes --prefer-offline --loglevel=error "file:${file}"`
    // The first one installs, which takes its time.
    execFileSync('sh', ['-c', `${npx} --help`], { env })
    server = await store.serve({ ...env, CAIRN_DATA_DIR: '', CAIRN_SANDBOX: 'off' }, ['sh', '-c', npx])
  })
  afterAll(() => store.drop())

  test('starts a server in an empty folder by npx, with its data there', async () => {
    const call = caller(server.url, server.key!)
    const agent = await call('POST', '/v1/agents/', { name: 'Ada', model: 'cairn/scripted' })
    expect(agent.status).toBe(200)
    const { body } = await call('POST', `/v1/agents/${agent.body.id}/messages`, { input: 'Hello' })
    expect(body.messages.at(-1).content).toContain('Hello')
    expect(readdirSync(folder)).toEqual(['.cairn'])
  })

  test('reads sources of tools, files and texts in its threads and processes', async () => {
    const call = caller(server.url, server.key!)
    const source_code =
      'def double(number: int):\n    """Doubles.\n\n    Args:\n        number: The number.\n    """\n    return 2 * number\n'
    expect((await call('POST', '/v1/tools/', { source_code })).body.name).toBe('double')
    const folder = (await call('POST', '/v1/folders/', { name: 'Docs' })).body
    const form = new FormData()
    form.set('file', new Blob(['# Title\n\nA text.']), 'text.md')
    const headers = { authorization: `Bearer ${server.key}` }
    await fetch(`${server.url}/v1/folders/${folder.id}/upload`, { method: 'POST', headers, body: form })
    await expect
      .poll(async () => (await call('GET', `/v1/folders/${folder.id}/files`)).body[0].processing_status, {
        timeout: 30_000,
      })
      .toBe('completed')
  })

  test('ends when npx ends', async () => {
    await server.kill('SIGTERM')
    await expect(fetch(server.url)).rejects.toThrow()
  })
})
