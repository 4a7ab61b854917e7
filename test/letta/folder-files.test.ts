import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Letta, { toFile } from '@letta-ai/letta-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { all, type LettaServer, refused, startLetta, UNKNOWN } from './client.ts'

const LIMIT = 100_000

let server: LettaServer
let directory: string
let folder_id: string
beforeAll(async () => {
  server = await startLetta({ uploadLimit: LIMIT })
  directory = await mkdtemp(join(tmpdir(), 'letta-'))
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true })
})
beforeEach(async () => {
  folder_id = (await server.alice.folders.create({ name: crypto.randomUUID() })).id
})

const text = (content: string, name: string) => toFile(Buffer.from(content), name)
const names = async () =>
  (await all(server.alice.folders.files.list(folder_id, { order: 'asc' }))).map(({ file_name }) => file_name)

test('an upload returns the file, which is processed in the background', async () => {
  const { alice } = server
  const uploaded = await alice.folders.files.upload(folder_id, { file: await text('# Tea\n\nIt is green.', 'tea.md') })
  expect(uploaded).toMatchObject({
    id: expect.stringMatching(/^file-.{36}$/),
    source_id: folder_id,
    file_name: 'tea.md',
    original_file_name: 'tea.md',
    file_type: 'text/markdown',
    file_size: 19,
    processing_status: 'parsing',
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  })
  expect(await alice.folders.files.retrieve(uploaded.id, { folder_id })).toEqual(uploaded)
  await server.settle()
  const read = await alice.folders.files.retrieve(uploaded.id, { folder_id, include_content: true })
  expect(read).toMatchObject({
    id: uploaded.id,
    processing_status: 'completed',
    total_chunks: 1,
    chunks_embedded: 1,
    content: '# Tea\n\nIt is green.',
  })
  expect(await all(alice.folders.files.list(folder_id))).toEqual([{ ...read, content: null }])
  expect(await all(alice.folders.files.list(folder_id, { include_content: true }))).toEqual([read])
})

test('files are uploaded from every source that the SDK takes', async () => {
  const { files } = server.alice.folders
  const path = join(directory, 'from-disk.txt')
  await writeFile(path, 'From the disk.')
  async function* pieces() {
    yield new TextEncoder().encode('In ')
    yield new TextEncoder().encode('pieces.')
  }
  for (const [file, content] of [
    [createReadStream(path), 'From the disk.'],
    [new File(['A file.'], 'file.txt', { type: 'text/plain' }), 'A file.'],
    [await toFile(new Blob(['A blob.']), 'blob.txt'), 'A blob.'],
    [await toFile(pieces(), 'pieces.txt'), 'In pieces.'],
    [await toFile(new Response('An answer.'), 'answer.txt'), 'An answer.'],
    [await text('Ümläute 🙂', 'übersicht 🙂.txt'), 'Ümläute 🙂'],
  ] as const) {
    const { id, file_name } = await files.upload(folder_id, { file })
    await server.settle()
    expect(await files.retrieve(id, { folder_id, include_content: true })).toMatchObject({ file_name, content })
  }
  expect(await names()).toEqual([
    'from-disk.txt',
    'file.txt',
    'blob.txt',
    'pieces.txt',
    'answer.txt',
    'übersicht 🙂.txt',
  ])
})

test('duplicate file names are handled as the request says', async () => {
  const { files } = server.alice.folders
  const upload = async (more: Partial<Letta.Folders.FileUploadParams>, content = 'x') =>
    files.upload(folder_id, { file: await text(content, 'a.txt'), ...more })
  const first = await upload({})
  expect(await upload({ duplicate_handling: 'skip' })).toEqual(first)
  const taken = await refused(upload({ duplicate_handling: 'error' }), Letta.ConflictError, 'a.txt')
  expect(taken.headers!.get('x-should-retry')).toBe('false')
  expect(await upload({ duplicate_handling: 'suffix' })).toMatchObject({ file_name: 'a_(1).txt' })
  expect(await upload({})).toMatchObject({ file_name: 'a_(2).txt', original_file_name: 'a.txt' })
  const replaced = await upload({ duplicate_handling: 'replace' }, 'longer')
  expect(replaced).toMatchObject({ file_name: 'a.txt', file_size: 6 })
  await refused(files.retrieve(first.id, { folder_id }), Letta.NotFoundError, first.id)
  expect(await upload({ name: 'letta_core.txt' })).toMatchObject({ file_name: 'letta_core.txt' })
  expect(await upload({ name: null })).toMatchObject({ file_name: expect.stringMatching(/^a_/) })
})

test('an upload that the SDK retries after a lost response makes one file', async () => {
  let lost = 0
  const flaky = server.alice.withOptions({
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (lost++ > 0) return response
      await response.arrayBuffer()
      throw new TypeError('The connection was cut.')
    },
  })
  const { file_name } = await flaky.folders.files.upload(folder_id, { file: await text('x', 'once.txt') })
  expect([lost, file_name]).toEqual([2, 'once.txt'])
  expect(await names()).toEqual(['once.txt'])
})

test('a refused upload reports its cause and stores nothing', async () => {
  const { files } = server.alice.folders
  const upload = async (name: string, content = 'x') => files.upload(folder_id, { file: await text(content, name) })
  const nowhere = `source-${UNKNOWN}`
  await refused(files.upload(nowhere, { file: await text('x', 'a.txt') }), Letta.NotFoundError, nowhere)
  await refused(upload('program.exe'), Letta.APIError, /^415 .*\.md/)
  await refused(
    upload('large.txt', 'x'.repeat(LIMIT + 1)),
    Letta.APIError,
    `413 The file is larger than ${LIMIT} bytes.`,
  )
  await refused(upload('.hidden'), Letta.UnprocessableEntityError, 'must not begin with a dot')
  await refused(files.upload(folder_id, {} as never), Letta.UnprocessableEntityError, 'file')
  expect(await names()).toEqual([])
})

test('a file that cannot be read says why', async () => {
  const { files } = server.alice.folders
  const { id } = await files.upload(folder_id, { file: await toFile(Buffer.from([0x61, 0xff, 0xfe]), 'broken.txt') })
  await server.settle()
  expect(await files.retrieve(id, { folder_id })).toMatchObject({
    processing_status: 'error',
    error_message: expect.stringMatching(/UTF-8/),
  })
})

test('agents see uploaded files, and searches find them', async () => {
  const { alice } = server
  const agent = await alice.agents.create({ name: 'Reader', folder_ids: [folder_id] })
  await alice.folders.update(folder_id, { name: 'Kitchen' })
  await alice.folders.files.upload(folder_id, { file: await text('The kettle is red.', 'kettle.txt') })
  await server.settle()
  const [seen] = await all(alice.agents.files.list(agent.id))
  expect(seen).toMatchObject({ file_name: 'Kitchen/kettle.txt', folder_id, is_open: true })
  expect(seen!.visible_content).toContain('The kettle is red.')
  const found = await alice.passages.search({ query: 'kettle', folder_id } as never)
  expect(found).toMatchObject([
    {
      passage: { text: 'The kettle is red.', source_id: folder_id, file_id: seen!.file_id, file_name: seen!.file_name },
    },
  ])
})

test('deleting a file removes it from the agents that have it open', async () => {
  const { alice } = server
  const agent = await alice.agents.create({ name: 'Reader', folder_ids: [folder_id] })
  const { id } = await alice.folders.files.upload(folder_id, { file: await text('x', 'a.txt') })
  await server.settle()
  const { response, data } = await alice.folders.files.delete(id, { folder_id }).withResponse()
  expect([response.status, data]).toEqual([204, null])
  await refused(alice.folders.files.delete(id, { folder_id }), Letta.NotFoundError, id)
  await refused(alice.folders.files.retrieve(id, { folder_id }), Letta.NotFoundError, id)
  expect(await all(alice.agents.files.list(agent.id))).toEqual([])
  expect(await names()).toEqual([])
})

test('the files of another organization are a 404', async () => {
  const { alice, bob } = server
  const { id } = await alice.folders.files.upload(folder_id, { file: await text('x', 'a.txt') })
  const { files } = bob.folders
  await refused(files.upload(folder_id, { file: await text('x', 'b.txt') }), Letta.NotFoundError, folder_id)
  await refused(files.list(folder_id), Letta.NotFoundError, folder_id)
  const own = (await bob.folders.create({ name: 'His' })).id
  for (const folder of [folder_id, own]) {
    await refused(files.retrieve(id, { folder_id: folder }), Letta.NotFoundError, /^404 No /)
    await refused(files.delete(id, { folder_id: folder }), Letta.NotFoundError, /^404 No /)
  }
  expect(await names()).toEqual(['a.txt'])
})
