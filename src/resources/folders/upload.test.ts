import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { fileForm, upload } from '../../../test/forms.ts'
import { useTestServer } from '../../../test/server.ts'

const LIMIT = 3 * 1024 * 1024 + 5

const server = useTestServer({ uploadLimit: LIMIT })

const newFolder = async (name: string = randomUUID()): Promise<string> =>
  (await server.alice.post('/v1/folders/', { name })).body.id

const namesIn = async (folder: string) =>
  (await server.alice.get(`/v1/folders/${folder}/files?order=asc&limit=200`)).body.map(
    (file: { file_name: string }) => file.file_name,
  )

/** What is kept of an upload, as one. */
async function bytesOf(id: string): Promise<Buffer> {
  const { rows } = await sql<{
    bytes: Buffer
  }>`select bytes from file_parts where file_id = ${id} order by position`.execute(server.database.kysely)
  return Buffer.concat(rows.map(({ bytes }) => bytes))
}

describe('an upload', () => {
  test('is answered with the file, which is kept as it came', async () => {
    const { alice, organizations } = server
    const folder = await newFolder('Kept')
    const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, n) => (n * 31) % 251))
    const { status, body } = await upload(alice, folder, 'data.txt', bytes)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      source_id: folder,
      file_name: 'data.txt',
      original_file_name: 'data.txt',
      file_type: 'text/plain',
      file_size: bytes.length,
      processing_status: 'parsing',
      organization_id: organizations.alice,
    })
    expect((await bytesOf(body.id)).equals(bytes)).toBe(true)
    expect((await alice.get(`/v1/folders/${folder}/files/${body.id}`)).body).toEqual(body)
    expect((await alice.get(`/v1/sources/${folder}/files/${body.id}`)).body).toEqual(body)
    const { rows } = await sql`select file_name from files where id = ${body.id}`.execute(server.database.kysely)
    expect(rows).toEqual([{ file_name: 'Kept/data.txt' }])
  })

  test('is refused by duplicate_handling=error when one of the name already exists', async () => {
    const folder = await newFolder()
    const again = () => upload(server.alice, folder, 'twice.txt', 'a', { query: '?duplicate_handling=error' })
    expect((await again()).status).toBe(200)
    expect(await again()).toMatchObject({ status: 409, body: { detail: expect.stringContaining('already exists') } })
  })

  test('works by the old name of folders, and by the surface for Letta clients', async () => {
    const folder = await newFolder()
    for (const prefix of ['/v1/sources', '/letta/v1/folders', '/letta/v1/sources']) {
      const reply = await server.alice.post(
        `${prefix}/${folder}/upload?duplicate_handling=error`,
        fileForm(`${prefix.replaceAll('/', '-')}.txt`, 'a'),
      )
      expect([prefix, reply.status]).toEqual([prefix, 200])
    }
  })

  test('comes with fields of the caller’s own, which the surface for Letta clients passes over', async () => {
    const { alice, bob } = server
    const folder = await newFolder()
    const form = (more = 'small') => {
      const parts = new FormData()
      parts.append('note', 'before the file')
      parts.append('thumbnail', new Blob([new Uint8Array([0xff, 0xfe, 0])]), 'a.png')
      parts.append('file', new Blob(['the text']), 'a.txt')
      parts.append('more', 'after it')
      parts.append('preview', new Blob([more]), 'b.txt')
      return parts
    }
    for (const path of ['folders', 'sources']) {
      const url = `/v1/${path}/${folder}/upload?duplicate_handling=replace`
      const { status, body } = await alice.post(`/letta${url}`, form())
      expect([status, body.file_name, body.file_size]).toEqual([200, 'a.txt', 8])
      expect((await bytesOf(body.id)).toString()).toBe('the text')
      expect((await alice.post(url, form())).body.errors).toEqual([
        expect.objectContaining({ in: 'body', field: 'note' }),
      ])
      expect((await bob.post(`/letta${url}`, form())).status).toBe(404)
      expect((await alice.post(`/letta${url}`, form('x'.repeat(70_000)))).status).toBe(413)
    }
    expect(await namesIn(folder)).toEqual(['a.txt'])
  })

  test('is of the type that its media type says, or else its name', async () => {
    const folder = await newFolder()
    const cases: [name: string, type: string, kept: string][] = [
      ['a.md', 'application/octet-stream', 'text/markdown'],
      ['b.bin', 'text/x-python; charset=utf-8', 'text/x-python'],
      ['c.py', 'text/plain', 'text/x-python'],
      ['d.unknown', 'text/plain', 'text/plain'],
      ['e.ts', 'video/mp2t', 'text/typescript'],
      ['Dockerfile', 'application/octet-stream', 'text/x-dockerfile'],
      ['F.PDF', '', 'application/pdf'],
      ['g', 'application/pdf', 'application/pdf'],
    ]
    for (const [name, type, kept] of cases) {
      const reply = await upload(server.alice, folder, name, 'x', { type })
      expect([name, reply.status, reply.body.file_type]).toEqual([name, 200, kept])
    }
    const refused = await upload(server.alice, folder, 'movie.mp4', 'x', { type: 'video/mp4' })
    expect(refused.status).toBe(415)
    expect(refused.body.detail).toContain('.pdf .docx')
    expect((await upload(server.alice, folder, 'sheet.xlsx', 'x')).status).toBe(415)
    expect(await namesIn(folder)).toHaveLength(cases.length)
  })

  test('is refused at once for a folder that is not there, whosever it may be', async () => {
    const { alice, bob } = server
    const folder = await newFolder()
    const unknown = 'source-00000000-0000-4000-8000-000000000000'
    for (const reply of [await upload(bob, folder, 'a.txt', 'x'), await upload(alice, unknown, 'a.txt', 'x')]) {
      expect([reply.status, reply.headers.connection]).toEqual([404, 'close'])
    }
    expect(await namesIn(folder)).toEqual([])
  })

  test('may be as large as the limit, and no larger', async () => {
    const folder = await newFolder()
    expect((await upload(server.alice, folder, 'most.txt', 'x'.repeat(LIMIT))).status).toBe(200)
    for (const length of [LIMIT + 1, LIMIT + 1_000_000]) {
      const reply = await upload(server.alice, folder, 'more.txt', 'x'.repeat(length))
      expect([reply.status, reply.headers.connection]).toEqual([413, 'close'])
      expect(reply.body.detail).toBe(`The file is larger than ${LIMIT} bytes.`)
    }
    expect(await namesIn(folder)).toEqual(['most.txt'])
  })

  test('is one file, in a form, and nothing else', async () => {
    const { alice } = server
    const url = `/v1/folders/${await newFolder()}/upload`
    const two = fileForm('a.txt', 'x')
    two.append('file', new Blob(['y']), 'b.txt')
    const other = fileForm('a.txt', 'x')
    other.append('note', 'y')
    const text = new FormData()
    text.append('file', 'only text')
    for (const form of [two, other, text, new FormData()]) expect((await alice.post(url, form)).status).toBe(422)
    expect((await alice.post(url)).status).toBe(422)
    expect((await alice.post(url, { file: 'x' })).status).toBe(415)
    expect((await alice.post(`${url}?duplicate_handling=guess`, fileForm('a.txt', 'x'))).status).toBe(422)
    const cut = await server.app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${alice.key}`, 'content-type': 'multipart/form-data; boundary=b' },
      payload: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbegun and never',
    })
    expect(cut.statusCode).toBe(400)
    expect((await alice.get(url.replace('upload', 'files'))).body).toEqual([])
  })

  test('leaves no file behind on the disk', async () => {
    // Other tests upload files at the same time.
    const directory = mkdtempSync(join(tmpdir(), 'cairn-uploads-'))
    vi.stubEnv('TMPDIR', directory)
    const folder = await newFolder()
    await upload(server.alice, folder, 'a.txt', 'x')
    await upload(server.alice, folder, 'a.txt', 'x'.repeat(LIMIT + 1))
    vi.unstubAllEnvs()
    expect(readdirSync(directory)).toEqual([])
    rmSync(directory, { recursive: true })
  })
})

describe('the name of an upload', () => {
  test.each([
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['C:\\Users\\me\\notes.txt', 'notes.txt'],
    ['übung 1 – 说明.txt', 'übung 1 – 说明.txt'],
    ['a<b>:"|?*.txt', 'ab.txt'],
    ['evil\u202etxt.md', 'eviltxt.md'],
    ['  blanks.txt  ', 'blanks.txt'],
    ["it's 100% O'Brien;drop table.txt", "it's 100% O'Brien;drop table.txt"],
    [`${'n'.repeat(251)}.txt`, `${'n'.repeat(251)}.txt`],
  ])('%j becomes %j, in the form and in the query', async (given, kept) => {
    const folder = await newFolder()
    const inQuery = await upload(server.alice, folder, 'x.txt', 'x', { query: `?name=${encodeURIComponent(given)}` })
    expect([inQuery.status, inQuery.body.file_name, inQuery.body.original_file_name]).toEqual([200, kept, kept])
    // What stands in a header can't hold these; browsers write them otherwise.
    if (/["\\]/.test(given)) return
    const inForm = await upload(server.alice, await newFolder(), given, 'x')
    expect([inForm.status, inForm.body.file_name]).toEqual([200, kept])
  })

  test.each(['.bashrc', '..', '/', 'a/..', '.txt', '???', `${'n'.repeat(252)}.txt`])('%j is refused', async (name) => {
    const folder = await newFolder()
    const reply = await upload(server.alice, folder, 'x.txt', 'x', { query: `?name=${encodeURIComponent(name)}` })
    expect([reply.status, reply.body.errors?.[0].field]).toEqual([422, 'name'])
    expect(await namesIn(folder)).toEqual([])
  })

  test('is told without the folder’s, also after the folder is renamed', async () => {
    const folder = await newFolder('Old/name')
    await upload(server.alice, folder, 'a.txt', 'x')
    await server.alice.patch(`/v1/folders/${folder}`, { name: 'New name' })
    expect(await namesIn(folder)).toEqual(['a.txt'])
    await upload(server.alice, folder, 'a.txt', 'y', { query: '?duplicate_handling=replace' })
    expect(await namesIn(folder)).toEqual(['a.txt'])
  })
})

describe('a second file of a name', () => {
  test('gets a number that no file of the folder has', async () => {
    const folder = await newFolder()
    const send = (name: string) => upload(server.alice, folder, name, 'x')
    await send('a_(2).md')
    const made = [(await send('a.md')).body, (await send('a.md')).body, (await send('a.md')).body]
    expect(made.map((file) => file.file_name)).toEqual(['a.md', 'a_(1).md', 'a_(3).md'])
    expect(made.map((file) => file.original_file_name)).toEqual(['a.md', 'a.md', 'a.md'])
    expect((await server.alice.delete(`/v1/folders/${folder}/${made[0].id}`)).status).toBe(204)
    await send('a.md')
    await send('Makefile.txt')
    expect(new Set(await namesIn(folder)).size).toBe(5)
    expect((await send('a_(1).md')).body.file_name).toBe('a_(1)_(1).md')
  })

  test('is an error that sending it again does not mend', async () => {
    const folder = await newFolder()
    await upload(server.alice, folder, 'a.md', 'x')
    const reply = await upload(server.alice, folder, 'a.md', 'y', { query: '?duplicate_handling=error' })
    expect([reply.status, reply.headers['x-should-retry']]).toEqual([409, 'false'])
    expect(await namesIn(folder)).toEqual(['a.md'])
  })

  test('is skipped, and the answer is the first', async () => {
    const folder = await newFolder()
    const first = await upload(server.alice, folder, 'a.md', 'x', { query: '?duplicate_handling=skip' })
    expect(first.headers['x-upload-result']).toBeUndefined()
    const second = await upload(server.alice, folder, 'a.md', 'y', { query: '?duplicate_handling=skip' })
    expect([second.status, second.headers['x-upload-result']]).toEqual([200, 'skipped'])
    expect(second.body).toEqual(first.body)
  })

  test('replaces the first, under its name', async () => {
    const folder = await newFolder('Replaced')
    const [first, other] = [
      (await upload(server.alice, folder, 'a.md', 'x')).body,
      (await upload(server.alice, folder, 'a.md', 'y')).body,
    ]
    const { body } = await upload(server.alice, folder, 'a.md', 'z', { query: '?duplicate_handling=replace' })
    expect((await server.alice.get(`/v1/folders/${folder}/files/${first.id}`)).status).toBe(404)
    expect((await server.alice.get(`/v1/folders/${folder}/files/${other.id}`)).status).toBe(200)
    const { rows } = await sql`select file_name from files where id = ${body.id}`.execute(server.database.kysely)
    expect(rows).toEqual([{ file_name: 'Replaced/a.md' }])
  })

  test('in another folder is no second one', async () => {
    const [one, other] = [await newFolder(), await newFolder()]
    await upload(server.alice, one, 'a.md', 'x')
    const reply = await upload(server.alice, other, 'a.md', 'x', { query: '?duplicate_handling=error' })
    expect([reply.status, reply.body.file_name]).toEqual([200, 'a.md'])
  })

  test('that comes at the same time as twenty others', async () => {
    const send = (folder: string, handling: string) =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          upload(server.alice, folder, 'a.md', 'x', { query: `?duplicate_handling=${handling}` }),
        ),
      )
    const suffix = await newFolder()
    const made = await send(suffix, 'suffix')
    expect(made.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await namesIn(suffix)).sort()).toEqual(
      Array.from({ length: 20 }, (_, n) => (n === 0 ? 'a.md' : `a_(${n}).md`)).sort(),
    )
    const error = await newFolder()
    const errors = await send(error, 'error')
    expect(errors.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const skip = await newFolder()
    const skipped = await send(skip, 'skip')
    expect(skipped.filter(({ headers }) => headers['x-upload-result'] === 'skipped')).toHaveLength(19)
    expect(new Set(skipped.map(({ body }) => body.id)).size).toBe(1)
    const replace = await newFolder()
    await send(replace, 'replace')
    for (const folder of [error, skip, replace]) expect(await namesIn(folder)).toEqual(['a.md'])
  })
})

describe('an upload that is sent again', () => {
  test('with its Idempotency-Key is answered as before, and there once', async () => {
    const folder = await newFolder()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await upload(server.alice, folder, 'a.md', 'same', { headers })
    const again = await upload(server.alice, folder, 'a.md', 'same', { headers })
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect([again.status, again.body]).toEqual([200, first.body])
    for (const [name, content] of [
      ['a.md', 'other'],
      ['b.md', 'same'],
    ] as const) {
      const reply = await upload(server.alice, folder, name, content, { headers })
      expect([reply.status, reply.body.errors[0].field]).toEqual([422, 'idempotency-key'])
    }
    expect(await namesIn(folder)).toEqual(['a.md'])
  })

  test('by an SDK that counts its attempts is there once', async () => {
    const folder = await newFolder()
    const send = (count: number) =>
      upload(server.alice, folder, 'a.md', 'same', { headers: { 'x-stainless-retry-count': `${count}` } })
    const first = await send(0)
    expect((await send(1)).body).toEqual(first.body)
    expect(await namesIn(folder)).toEqual(['a.md'])
  })
})
