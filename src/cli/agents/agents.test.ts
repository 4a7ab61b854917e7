import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useCli } from '../../../test/cli.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const cli = useCli(server)

const create = async (name: string, ...options: string[]) =>
  (await cli.cairn(['agents', 'create', name, ...options])).stdout.trim()

describe('cairn agents', () => {
  test('creates an agent, shows it by its name, and lists it for its organization alone', async () => {
    const id = await create('Ada', '--block', 'human=Likes tea.', '--tag', 'demo', '--tag', 'a=b')
    const shown = await cli.cairn(['agents', 'get', 'Ada'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    for (const text of [id, 'cairn/scripted', 'demo, a=b', 'memory_insert', 'Likes tea.']) {
      expect(shown.stdout).toContain(text)
    }
    const [titles, row] = (await cli.cairn(['agents', 'list', '--tag', 'demo'])).stdout.split('\n')
    expect(row!.indexOf('cairn/scripted')).toBe(titles!.indexOf('MODEL'))
    expect(await cli.cairn(['agents', 'list'], { as: 'bob' })).toEqual({ code: 0, stdout: '', stderr: 'None.\n' })
    const other = await cli.cairn(['agents', 'get', id], { as: 'bob' })
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toMatch(/No agent with id .*\(404\)\nRequest /)
  })

  test('lists as many as are wanted, over several pages, as one array of JSON', async () => {
    const made = await Promise.all(Array.from({ length: 7 }, (_, n) => create(`Page ${n}`)))
    const list = async (...options: string[]): Promise<{ id: string }[]> =>
      JSON.parse((await cli.cairn(['agents', 'list', '--search', 'page', '--json', ...options])).stdout)
    expect(await list('--limit', '3')).toHaveLength(3)
    expect(new Set((await list('--all')).map(({ id }) => id))).toEqual(new Set(made))
    expect(JSON.parse((await cli.cairn(['agents', 'list', '--search', 'nobody', '--json'])).stdout)).toEqual([])
  })

  test('exports an agent to a file, imports the file, and clones an agent with copies of its blocks', async () => {
    await create('Original', '--block', 'human=Likes tea.')
    await cli.cairn(['agents', 'export', 'Original', '-o', 'original.af'])
    expect(JSON.parse(readFileSync(join(cli.directory, 'original.af'), 'utf8')).agents).toHaveLength(1)
    const imported = await cli.cairn(['agents', 'import', 'original.af', '--name', 'Imported'], { as: 'bob' })
    expect(imported.code).toBe(0)
    expect((await cli.cairn(['agents', 'get', 'Imported'], { as: 'bob' })).stdout).toContain('Likes tea.')
    const copy = (await cli.cairn(['agents', 'clone', 'Original'])).stdout.trim()
    const blocksOf = async (id: string) =>
      JSON.parse((await cli.cairn(['agents', 'get', id, '--json'])).stdout) as {
        name: string
        blocks: { id: string }[]
      }
    const [before, after] = [await blocksOf('Original'), await blocksOf(copy)]
    expect(after.name).toBe('Original (copy)')
    expect(after.blocks[0]!.id).not.toBe(before.blocks[0]!.id)
  })

  test('deletes an agent only when the user agrees', async () => {
    const id = await create('Doomed')
    expect(await cli.cairn(['agents', 'delete', 'Doomed'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    const session = cli.atTerminal(['agents', 'delete', 'Doomed'])
    await session.until('[y/N]')
    session.type('no\r')
    expect(await session.exited).toBe(1)
    expect((await server.alice.get(`/v1/agents/${id}`)).status).toBe(200)
    expect((await cli.cairn(['agents', 'delete', 'Doomed', '--yes'])).code).toBe(0)
    expect((await server.alice.get(`/v1/agents/${id}`)).status).toBe(404)
  })

  test('asks for an id where two agents have the name', async () => {
    const ids = [await create('Twin'), await create('Twin')]
    const { code, stderr } = await cli.cairn(['agents', 'get', 'Twin'])
    expect(code).toBe(2)
    for (const id of ids) expect(stderr).toContain(id)
  })
})

describe('a command', () => {
  test('that is used wrongly ends with 2 and says how it is used', async () => {
    expect(await cli.cairn(['agents', 'get'])).toMatchObject({ code: 2, stderr: expect.stringContaining('agent') })
    expect(await cli.cairn(['agents', 'lisst'])).toMatchObject({ code: 2, stderr: expect.stringContaining('list') })
    expect(await cli.cairn(['agents', 'list', '--limit', '0'])).toMatchObject({ code: 2 })
    expect(await cli.cairn(['--version'])).toMatchObject({ code: 0 })
  })

  test('names the server that does not listen, and every fault of a request', async () => {
    const nobody = { baseUrl: 'http://127.0.0.1:9' }
    expect(await cli.cairn(['agents', 'list'], { settings: nobody })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('http://127.0.0.1:9'),
    })
    const wrong = await cli.cairn(['agents', 'list'], { settings: { apiKey: 'wrong' } })
    expect(wrong.stderr).toMatch(/\(401\)\n(.*\n)*.*cairn login/)
    const faulty = await cli.cairn(['agents', 'create', 'x\u0007', '--model', 'no handle'])
    expect(faulty.stderr).toMatch(/body name: .*\n {2}body model: /)
  })

  test('writes nothing to a terminal that would control it', async () => {
    await create('Hostile', '--block', 'human=\u001b[2J\u001b]0;owned\u0007\u202etxt')
    const session = cli.atTerminal(['agents', 'get', 'Hostile'])
    expect(await session.exited).toBe(0)
    expect(session.screen()).toContain('\ufffd[2J\ufffd]0;owned')
    for (const character of ['\u202e', '\u0007']) expect(session.screen()).not.toContain(character)
  })
})
