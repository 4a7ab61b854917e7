import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LettaClient } from 'letta-client-0'
import { describe, expect, test } from 'vitest'
import { olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

const file = (name: string, content = 'The kettle is red.') => new File([content], name, { type: 'text/plain' })
const newFolder = async (client = older.alice) => (await client.folders.create({ name: crypto.randomUUID() })).id!

/** One file without its folder's other files: only sources have this operation. */
const metadataOf = (client: LettaClient, folder: string, id: string, includeContent = false) =>
  client.sources.getFileMetadata(folder, id, { includeContent })

describe.each(['folders', 'sources'] as const)('files of %s', (kind) => {
  test('are uploaded, processed, retrieved with their text, listed and deleted', async () => {
    const { files, passages } = older.alice[kind]
    const folder = await newFolder()
    const made = await files.upload(file('kettle.txt'), folder, {})
    expect(made).toMatchObject({
      id: expect.stringMatching(/^file-.{36}$/),
      sourceId: folder,
      fileName: 'kettle.txt',
      originalFileName: 'kettle.txt',
      fileType: 'text/plain',
      fileSize: 18,
      processingStatus: 'parsing',
    })
    expect(made.createdAt).toBeInstanceOf(Date)
    await older.server.settle()
    const done = await metadataOf(older.alice, folder, made.id!)
    expect(done).toMatchObject({ id: made.id, processingStatus: 'completed', totalChunks: 1, chunksEmbedded: 1 })
    expect(done.content).toBeUndefined()
    expect(await files.list(folder)).toEqual([done])
    const whole = await metadataOf(older.alice, folder, made.id!, true)
    expect(whole).toEqual({ ...done, content: 'The kettle is red.' })
    expect(await files.list(folder, { includeContent: true })).toEqual([whole])
    expect(await passages.list(folder)).toMatchObject([
      {
        text: 'The kettle is red.',
        sourceId: folder,
        fileId: made.id,
        fileName: expect.stringMatching(/.\/kettle\.txt$/),
      },
    ])
    await files.delete(folder, made.id!)
    await refused(files.delete(folder, made.id!), 404, made.id!)
    await refused(metadataOf(older.alice, folder, made.id!), 404, made.id!)
    expect(await files.list(folder)).toEqual([])
    expect(await passages.list(folder)).toEqual([])
  })

  test('of a duplicate name are handled as the request says', async () => {
    const { files } = older.alice[kind]
    const folder = await newFolder()
    const first = await files.upload(file('a.txt'), folder, { duplicateHandling: 'error' })
    await refused(files.upload(file('a.txt'), folder, { duplicateHandling: 'error' }), 409, 'a.txt')
    expect(await files.upload(file('a.txt'), folder, { duplicateHandling: 'skip' })).toEqual(first)
    expect(await files.upload(file('a.txt'), folder, {})).toMatchObject({ fileName: 'a_(1).txt' })
    const replaced = await files.upload(file('a.txt', 'New'), folder, { duplicateHandling: 'replace' })
    expect(replaced).toMatchObject({ fileName: 'a.txt', fileSize: 3 })
    await refused(metadataOf(older.alice, folder, first.id!), 404, first.id!)
    expect(await files.upload(file('b.txt'), folder, { name: 'c.txt' })).toMatchObject({ fileName: 'c.txt' })
  })

  test('that are invalid are refused, and none is stored', async () => {
    const { files } = older.alice[kind]
    const folder = await newFolder()
    await refused(files.upload(file('a.txt'), unknown('source'), {}), 404, unknown('source'))
    const program = new File(['x'], 'program.exe', { type: 'application/x-msdownload' })
    await refused(files.upload(program, folder, {}), 415, '.md')
    await refused(files.upload(file('.hidden'), folder, {}), 422, 'dot')
    await refused(files.list(unknown('source')), 404, unknown('source'))
    expect(await files.list(folder)).toEqual([])
  })

  test('of another tenant are a 404', async () => {
    const folder = await newFolder()
    const { id } = await older.alice[kind].files.upload(file('a.txt'), folder, {})
    const { files, passages } = older.bob[kind]
    const own = await newFolder(older.bob)
    await refused(files.upload(file('b.txt'), folder, {}), 404, folder)
    await refused(files.list(folder), 404, folder)
    await refused(passages.list(folder), 404, folder)
    for (const place of [folder, own]) {
      await refused(metadataOf(older.bob, place, id!), 404)
      await refused(files.delete(place, id!), 404)
    }
    expect(await older.alice[kind].files.list(folder)).toMatchObject([{ id }])
  })
})

test('files are read from the disk, and listed in pages', async () => {
  const { files } = older.alice.folders
  const folder = await newFolder()
  const directory = await mkdtemp(join(tmpdir(), 'letta-'))
  for (let n = 0; n < 5; n++) {
    const path = join(directory, `${n}.md`)
    await writeFile(path, `# ${n}`)
    expect(await files.upload(createReadStream(path), folder, {})).toMatchObject({ fileName: `${n}.md`, fileSize: 3 })
  }
  await rm(directory, { recursive: true })
  expect(await pages((page) => files.list(folder, page))).toHaveLength(5)
  const oldest = await files.list(folder, { order: 'asc', orderBy: 'created_at', limit: 2 })
  expect(oldest).toMatchObject([{ fileName: '0.md' }, { fileName: '1.md' }])
  const newest = await older.alice.sources.files.list(folder, { limit: 1, checkStatusUpdates: false })
  expect(newest).toMatchObject([{ fileName: '4.md' }])
})
