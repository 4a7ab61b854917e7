import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useCli } from '../../test/cli.ts'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const cli = useCli(server)
const file = (name: string) => join(cli.directory, name)
const json = async (...args: string[]) => JSON.parse((await cli.cairn([...args, '--json'])).stdout)

async function makeAgent(name: string, value = 'Likes tea.') {
  const { body } = await server.alice.post('/v1/agents/', { name, memory_blocks: [{ label: 'human', value }] })
  return { id: body.id as string, block: body.blocks[0].id as string }
}

describe('cairn blocks', () => {
  test('writes the value of a block as it is, and replaces it from an argument or the standard input', async () => {
    const { block } = await makeAgent('Reader', 'Line one.\nLine two.')
    expect(await cli.cairn(['blocks', 'get', 'Reader/human'])).toMatchObject({
      code: 0,
      stdout: 'Line one.\nLine two.\n',
    })
    expect((await cli.cairn(['blocks', 'set', block], { input: 'From a pipe.\n' })).code).toBe(0)
    expect((await json('blocks', 'get', block)).value).toBe('From a pipe.')
    expect((await cli.cairn(['blocks', 'list', '--agent', 'Reader'])).stdout).toContain('12 of 100000')
    expect((await cli.cairn(['blocks', 'get', block], { as: 'bob' })).code).toBe(1)
    expect((await cli.cairn(['blocks', 'get', 'human'])).code).toBe(2)
  })

  test('edits a block in the editor; a text that comes too late is stored in a file, and overwrites nothing', async () => {
    const { block } = await makeAgent('Edited')
    const edit = (editor: string) => cli.cairn(['blocks', 'edit', 'Edited/human'], { settings: { editor } })
    expect((await edit('true')).stderr).toBe('Nothing was changed.\n')
    expect((await edit('sed -i s/tea/cocoa/')).code).toBe(0)
    expect((await json('blocks', 'get', block)).value).toBe('Likes cocoa.')
    const meanwhile = `curl -sf -X PATCH ${cli.url}/v1/blocks/${block} -H 'Authorization: Bearer ${server.alice.key}'`
    const script = `${meanwhile} -H 'Content-Type: application/json' -d '{"value": "Theirs."}' >&2 && printf Mine. >`
    const late = await edit(script)
    expect(late).toMatchObject({ code: 1, stderr: expect.stringMatching(/changed meanwhile.*- Theirs\.\n\+ Mine\./s) })
    expect((await json('blocks', 'get', block)).value).toBe('Theirs.')
    const [stored] = readdirSync(file('state')).filter((name) => name.startsWith(block))
    expect(readFileSync(join(file('state'), stored!), 'utf8')).toBe('Mine.')
  })
})

describe('cairn blocks history', () => {
  test('lists who changed a block, shows what a change made of it, and takes it back', async () => {
    const { block } = await makeAgent('Changed', 'Likes tea.')
    await cli.cairn(['blocks', 'set', block, 'Likes cocoa.'])
    const { stdout } = await cli.cairn(['blocks', 'history', 'Changed/human'])
    expect(stdout).toMatch(/^VERSION.*\n2 +\S+ +update +user-\S+ +Likes cocoa\.\n1 +\S+ +create +\S+ +Likes tea\.\n$/)
    expect((await cli.cairn(['blocks', 'diff', block])).stdout).toBe('- Likes tea.\n+ Likes cocoa.\n')
    expect((await cli.cairn(['blocks', 'diff', block, '1'])).stdout).toContain('+ Likes tea.')
    expect((await cli.cairn(['blocks', 'undo', 'Changed/human'])).code).toBe(0)
    expect((await json('blocks', 'get', block)).value).toBe('Likes tea.')
    expect((await cli.cairn(['blocks', 'diff', block, 'x'])).code).toBe(2)
    expect((await cli.cairn(['blocks', 'diff', block, '9'])).stderr).toContain('no version 9')
    expect((await cli.cairn(['blocks', 'history', block], { as: 'bob' })).code).toBe(1)
    await cli.cairn(['chat', 'Changed', '!call memory_insert {"label": "human", "new_string": "And rain."}'])
    const [run] = await json('runs', 'list', '--agent', 'Changed')
    const [, last] = (await cli.cairn(['blocks', 'history', block])).stdout.split('\n')
    expect(last?.split(/ +/).slice(2, 5)).toEqual(['update', run.agent_id, run.id])
  })
})

describe('cairn archives', () => {
  const importInto = (archive: string, source: string, ...options: string[]) =>
    cli.cairn(['archives', 'import', archive, source, ...options])

  async function makeArchive(name: string) {
    const { body } = await server.alice.post('/v1/archives/', { name })
    const texts = async (): Promise<string[]> => {
      const { body: passages } = await server.alice.get(`/v1/archives/${body.id}/passages?limit=200`)
      return passages.map(({ text }: { text: string }) => text)
    }
    return { id: body.id as string, texts }
  }

  test('adds passages and finds them, for their organization alone', async () => {
    expect((await cli.cairn(['archives', 'add', 'Facts', 'Nowhere.'])).code).toBe(2)
    await cli.cairn(['archives', 'add', 'Facts', 'The kettle is red.', '--tag', 'kitchen', '--create'])
    await cli.cairn(['archives', 'add', 'Facts'], { input: 'The garden is green.\n' })
    const found = await cli.cairn(['archives', 'search', 'Facts', 'red', 'kettle', '--limit', '1'])
    expect(found.stdout).toMatch(/^\d\.\d{3} {2}\S+ {2}kitchen {2}passage-\S+\nThe kettle is red\.\n$/)
    expect((await cli.cairn(['archives', 'search', 'Facts', 'kettle'], { as: 'bob' })).code).toBe(2)
  })

  test('imports lines of JSON, tables and folders of texts', async () => {
    const { id, texts } = await makeArchive('Mixed')
    writeFileSync(
      file('facts.jsonl'),
      '{"text": "A line.", "tags": ["x"]}\n\n{"text": "Another.", "metadata": {"n": 2}}\n',
    )
    writeFileSync(file('facts.csv'), 'text,tags,page\n"A cell, quoted.","a, b",7\n')
    mkdirSync(file('texts/inner'), { recursive: true })
    writeFileSync(file('texts/a.md'), `${'word '.repeat(300)}\n\n${'more '.repeat(300)}`)
    writeFileSync(file('texts/inner/b.txt'), 'Short.')
    for (const source of ['facts.jsonl', 'facts.csv', 'texts']) {
      expect(await importInto('Mixed', source, '--tag', 'all')).toMatchObject({ code: 0 })
    }
    expect((await texts()).map((text) => text.slice(0, 5))).toEqual([
      'A lin',
      'Anoth',
      'A cel',
      'word ',
      'more ',
      'Short',
    ])
    const { body } = await server.alice.get(`/v1/archives/${id}/passages?tags=b`)
    expect(body).toMatchObject([{ tags: ['a', 'b', 'all'], metadata: { page: '7' } }])
  })

  test('goes on with an interrupted import where it stopped, and repeats nothing', async () => {
    const { texts } = await makeArchive('Resumed')
    const lines = Array.from({ length: 150 }, (_, n) => JSON.stringify({ text: `Fact ${n}.` }))
    writeFileSync(file('long.jsonl'), [...lines.slice(0, 120), '{"text": ""}', ...lines.slice(120)].join('\n'))
    const stopped = await importInto('Resumed', 'long.jsonl')
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('passages[20].text') })
    expect(await texts()).toHaveLength(100)
    writeFileSync(file('long.jsonl'), lines.join('\n'))
    expect(await importInto('Resumed', 'long.jsonl')).toMatchObject({
      code: 0,
      stderr: 'Going on after 100 passages.\n',
    })
    expect(await texts()).toEqual(lines.map((line) => JSON.parse(line).text))
    // A source that has changed before the place where the import stopped can't be gone on with.
    writeFileSync(file('long.jsonl'), [...lines, '{}'].join('\n'))
    expect((await importInto('Resumed', 'long.jsonl')).code).toBe(1)
    writeFileSync(file('long.jsonl'), lines.toReversed().join('\n'))
    expect(await importInto('Resumed', 'long.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--restart'),
    })
    expect((await importInto('Resumed', 'long.jsonl', '--restart')).code).toBe(0)
  })
})

test('files are uploaded to a folder that is created, and lists report them', async () => {
  writeFileSync(file('notes.md'), '# Notes\nhello')
  const uploaded = await cli.cairn(['files', 'upload', 'Docs', 'notes.md', '--create', '--no-wait'])
  expect(uploaded).toMatchObject({ code: 0, stdout: expect.stringContaining('notes.md') })
  expect((await cli.cairn(['files', 'list', 'Docs'])).stdout).toContain('notes.md')
  const again = await cli.cairn(['files', 'upload', 'Docs', 'notes.md', '--on-duplicate', 'error', '--no-wait'])
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('409') })
})

test('tools go to the server and back, and a file with another source is not overwritten', async () => {
  const source =
    'def roll_dice(sides: int) -> str:\n    """Roll a die.\n\n    Args:\n        sides (int): Its sides.\n    """\n    return "4"\n'
  writeFileSync(file('roll.py'), source)
  const push = async () => (await cli.cairn(['tools', 'push', 'roll.py'])).stdout.split(' ')[0]
  expect([await push(), await push()]).toEqual(['created', 'unchanged'])
  writeFileSync(file('roll.py'), source.replace('"4"', '"5"'))
  expect(await push()).toBe('changed')
  expect((await cli.cairn(['tools', 'pull', 'roll_dice', '-d', 'tools'])).code).toBe(0)
  expect(readFileSync(file('tools/roll_dice.py'), 'utf8')).toContain('"5"')
  writeFileSync(file('tools/roll_dice.py'), 'mine')
  expect((await cli.cairn(['tools', 'pull', 'roll_dice', '-d', 'tools'])).code).toBe(1)
  expect(readFileSync(file('tools/roll_dice.py'), 'utf8')).toBe('mine')
  expect((await cli.cairn(['tools', 'pull', 'roll_dice'], { as: 'bob' })).code).toBe(2)
  expect(existsSync(file('roll_dice.py'))).toBe(false)
})

test('runs are listed, shown with their steps, and read again', async () => {
  const { id } = await makeAgent('Runner')
  await cli.cairn(['chat', 'Runner', 'Hello'])
  const [run] = await json('runs', 'list', '--agent', 'Runner')
  expect(run).toMatchObject({ agent_id: id, status: 'completed' })
  expect(await json('runs', 'list', '--agent', id, '--from', '2020-01-01')).toHaveLength(1)
  expect(await json('runs', 'list', '--until', '2020-01-01T08:30')).toEqual([])
  expect((await cli.cairn(['runs', 'list', '--from', 'soon'])).code).toBe(2)
  expect((await cli.cairn(['runs', 'show', run.id])).stdout).toMatch(
    /completed \(end_turn\).*cairn\/scripted +success/s,
  )
  expect((await cli.cairn(['runs', 'tail', run.id])).stdout).toContain('You said: "Hello"')
  expect(await cli.cairn(['runs', 'cancel', run.id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ended'),
  })
  expect((await cli.cairn(['runs', 'tail', run.id], { as: 'bob' })).code).toBe(1)
})

test('keys are managed by the server', async () => {
  const key = (await cli.cairn(['keys', 'create', '--name', 'reader', '--scopes', 'read'])).stdout.trim()
  expect((await cli.cairn(['agents', 'create', 'x'], { settings: { apiKey: key } })).stderr).toContain('403')
  expect((await cli.cairn(['keys', 'list'], { as: 'bob' })).stdout).not.toContain('reader')
  const [{ id }] = (await json('keys', 'list')).filter(({ name }: { name: string }) => name === 'reader')
  expect((await cli.cairn(['keys', 'revoke', id])).stdout).toBe(`Revoked ${id}.\n`)
  expect((await cli.cairn(['agents', 'list'], { settings: { apiKey: key } })).stderr).toContain('401')
})

test('the OpenAPI document is that of the server', async () => {
  expect((await json('openapi')).paths).toHaveProperty('/v1/agents/')
})

test('`cairn` alone says where to begin', async () => {
  const { code, stdout, stderr } = await cli.cairn([])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^cairn: .*Begin:\n {2}cairn serve .*cairn --help/s)
  expect((await cli.cairn(['chta'])).code).toBe(2)
})
