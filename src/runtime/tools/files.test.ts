import { beforeAll, expect, test } from 'vitest'
import { upload } from '../../../test/forms.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callTool } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

let fruit: string
let nature: string
const lines = Array.from({ length: 60 }, (_, n) => `Line ${n + 1} speaks of ${n % 2 ? 'apples' : 'plums'}.`)

/** A folder with files of these texts, which the server has read. */
async function makeFolder(client: Client, name: string, texts: Record<string, string>): Promise<string> {
  const { id } = (await client.post('/v1/folders/', { name, embedding: 'cairn/lexical' })).body
  for (const [file, text] of Object.entries(texts)) await upload(client, id, file, text, { type: 'text/plain' })
  await server.settle()
  return id
}

beforeAll(async () => {
  fruit = await makeFolder(server.alice, 'Fruit', { 'fruit.txt': lines.join('\n'), 'notes.md': 'No Plum here.' })
  nature = await makeFolder(server.alice, 'Nature', {
    'sea.txt': 'Whales sing in the deep sea.\n',
    'evil.txt': `${'a'.repeat(40)}!`,
  })
  await makeFolder(server.bob, 'His', { 'secret.txt': 'plums of Bob' })
})

/** An agent with folders; it has as many files open as it may. */
async function makeAgent(folder_ids: string[], body: object = {}): Promise<string> {
  const made = await server.alice.post('/v1/agents/', { folder_ids, include_base_tools: false, ...body })
  expect(made.status).toBe(200)
  return made.body.id
}

const use = (id: string, tool: string, args: object) => callTool(server.alice, id, tool, args)

const openFilesOf = async (id: string) =>
  (await server.alice.get(`/v1/agents/${id}/files?is_open=true`)).body.files.map(
    ({ file_name, start_line, end_line }: Record<string, unknown>) => [file_name, start_line, end_line],
  )

test('an agent opens lines of a file, and reads them at once', async () => {
  const id = await makeAgent([fruit])
  await server.alice.patch(`/v1/agents/${id}/files/close-all`)
  const request = { file_name: 'Fruit/fruit.txt', offset: 3, length: 2 }
  const { status, tool_return } = await use(id, 'open_files', { file_requests: [request] })
  expect(status).toBe('success')
  expect(tool_return).toContain('* Opened Fruit/fruit.txt (lines 4-5)')
  expect(tool_return).toContain('4: Line 4 speaks of apples.\n5: Line 5 speaks of plums.')
  expect(tool_return).not.toContain('Line 6')
  expect(await openFilesOf(id)).toEqual([['Fruit/fruit.txt', 4, 5]])
  const again = await use(id, 'open_files', { file_requests: [{ file_name: 'Fruit/fruit.txt', length: 1 }] })
  expect(again.tool_return).toContain('(lines 1-1) (previously lines 4-5)')
})

test('opening a file closes the one that was read longest ago, or all others', async () => {
  const id = await makeAgent([fruit, nature], { max_files_open: 2 })
  const open = (names: string[], rest: object = {}) =>
    use(id, 'open_files', { file_requests: names.map((file_name) => ({ file_name })), ...rest })
  await open(['Fruit/fruit.txt', 'Fruit/notes.md'])
  await use(id, 'semantic_search_files', { query: 'apples and plums', limit: 1 })
  expect((await open(['Nature/sea.txt'])).tool_return).toContain("Closed: ['Fruit/notes.md']")
  expect((await openFilesOf(id)).map(([name]: string[]) => name).sort()).toEqual(['Fruit/fruit.txt', 'Nature/sea.txt'])
  await open(['Fruit/notes.md'], { close_all_others: true })
  expect(await openFilesOf(id)).toEqual([['Fruit/notes.md', undefined, undefined]])
  const tooMany = await open(['Fruit/fruit.txt', 'Fruit/notes.md', 'Nature/sea.txt'])
  expect(tooMany).toMatchObject({ status: 'error', tool_return: expect.stringContaining('at most 2') })
})

test('an agent finds lines by a pattern, page by page, with the lines around', async () => {
  const id = await makeAgent([fruit, nature])
  const { tool_return } = await use(id, 'grep_files', { pattern: 'PLUMS?\\b' })
  expect(tool_return).toContain('Found 31 total matches across 2 files (showing matches 1-20 of 31)')
  expect(tool_return).toContain('> 1: Line 1 speaks of plums.\n  2: Line 2 speaks of apples.\n  ...\n  2: Line 2')
  expect(tool_return).toContain('use offset 20')
  const rest = await use(id, 'grep_files', { pattern: 'plums?', offset: 20, context_lines: 0 })
  expect(rest.tool_return).toContain('showing matches 21-31 of 31')
  expect(rest.tool_return).not.toContain('apples')
  const included = await use(id, 'grep_files', { pattern: 'plum', include: '*.md' })
  expect(included.tool_return).toContain('Found 1 total matches across 1 files')
  expect((await use(id, 'grep_files', { pattern: 'of Bob' })).tool_return).toContain('No matches')
})

test('a pattern that would take years ends as an error, and the server serves others meanwhile', async () => {
  const id = await makeAgent([nature])
  const search = use(id, 'grep_files', { pattern: '^(a+)+$' })
  expect((await server.bob.get('/v1/agents/')).status).toBe(200)
  expect(await search).toMatchObject({ status: 'error', tool_return: expect.stringContaining('takes too long') })
})

test('an agent finds passages of its files by meaning, and of no other', async () => {
  const id = await makeAgent([nature])
  const { tool_return } = await use(id, 'semantic_search_files', { query: 'whales in the sea', limit: 1 })
  expect(tool_return).toContain("Found 1 semantic matches in 1 file for query: 'whales in the sea'")
  expect(tool_return).toContain('Nature/sea.txt:\nWhales sing in the deep sea.')
  const none = await makeAgent([nature])
  await server.alice.patch(`/v1/agents/${none}/folders/detach/${nature}`)
  await server.alice.patch(`/v1/agents/${none}/tools/attach/${await toolId('semantic_search_files')}`)
  expect((await use(none, 'semantic_search_files', { query: 'whales' })).tool_return).toContain('No semantic matches')
})

const toolId = async (name: string) => (await server.alice.get(`/v1/tools?name=${name}`)).body[0].id

test.each<[string, object, string]>([
  ['open_files', { file_requests: [{ file_name: 'His/secret.txt' }] }, 'His/secret.txt is not attached'],
  ['open_files', { file_requests: ['Fruit/fruit.txt'] }, '"file_requests"'],
  ['open_files', { file_requests: [{ file_name: 'Fruit/fruit.txt', offset: 100 }] }, 'at most 60'],
  ['grep_files', { pattern: '(' }, 'no regular expression'],
  ['grep_files', { pattern: '' }, '1 to 1000 characters'],
  ['semantic_search_files', { query: ' ' }, 'is empty'],
])('%s with %j is an error that the model reads', async (tool, args, message) => {
  expect(await use(await makeAgent([fruit]), tool, args)).toMatchObject({
    status: 'error',
    tool_return: expect.stringContaining(message),
  })
})
