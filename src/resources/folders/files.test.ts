import { describe, expect, test } from 'vitest'
import { upload } from '../../../test/forms.ts'
import { useTestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

const server = useTestServer()

const newFolder = async (name: string): Promise<string> => (await server.alice.post('/v1/folders/', { name })).body.id

describe('the files of a folder', () => {
  test('are listed newest first, page by page, with their texts when asked for', async () => {
    const { alice } = server
    const folder = await newFolder('Pages')
    const names = ['a.txt', 'b.txt', 'c.txt']
    for (const name of names) await upload(alice, folder, name, `Text of ${name}`)
    await server.settle()
    const url = `/v1/folders/${folder}/files`
    const listed = await walk<{ file_name: string }>(alice, `${url}?limit=1`)
    expect(listed.map(({ file_name }) => file_name)).toEqual([...names].reverse())
    expect(await walk(alice, `${url}?limit=2&order=asc`)).toEqual([...listed].reverse())
    expect((await alice.get(`/v1/sources/${folder}/files`)).body).toEqual(listed)
    for (const file of listed) expect(file).not.toHaveProperty('content')
    const [last] = (await alice.get(`${url}?include_content=true&limit=1`)).body
    expect(last).toEqual({ ...listed[0], content: 'Text of c.txt' })
    expect((await alice.get(`${url}/${last.id}?include_content=true`)).body).toEqual(last)
  })

  test('are of that folder alone, and of one organization', async () => {
    const { alice, bob } = server
    const [one, other] = [await newFolder('One'), await newFolder('Other')]
    const file = (await upload(alice, one, 'a.txt', 'x')).body
    await upload(alice, other, 'b.txt', 'x')
    expect((await alice.get(`/v1/folders/${one}/files`)).body).toEqual([file])
    expect((await alice.get(`/v1/folders/${other}/files/${file.id}`)).status).toBe(404)
    expect((await alice.delete(`/v1/folders/${other}/${file.id}`)).status).toBe(404)
    for (const path of [`${one}/files`, `${one}/files/${file.id}`, `${one}/passages`]) {
      expect([path, (await bob.get(`/v1/folders/${path}`)).status]).toEqual([path, 404])
    }
    expect((await bob.delete(`/v1/folders/${one}/${file.id}`)).status).toBe(404)
    expect((await alice.get(`/v1/folders/${one}/files/${file.id}`)).body).toEqual(file)
    const missing = await alice.get(`/v1/folders/${one}/files/file-00000000-0000-4000-8000-000000000000`)
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
  })

  test('are deleted with their passages, for agents too, also while they are read', async () => {
    const { alice } = server
    const folder = await newFolder('Emptied')
    const agent = (await alice.post('/v1/agents/', { name: 'Reader', folder_ids: [folder] })).body
    const [kept, gone] = [
      (await upload(alice, folder, 'kept.txt', 'kept')).body,
      (await upload(alice, folder, 'gone.txt', 'gone')).body,
    ]
    await server.settle()
    const blocks = async () =>
      (await alice.get(`/v1/agents/${agent.id}?include=agent.blocks`)).body.memory.file_blocks.map(
        (block: { label: string }) => block.label,
      )
    expect(await blocks()).toEqual(['Emptied/kept.txt', 'Emptied/gone.txt'])
    const deleted = await alice.delete(`/v1/folders/${folder}/${gone.id}`)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    const later = (await upload(alice, folder, 'later.txt', 'later')).body
    await alice.delete(`/v1/folders/${folder}/${later.id}`)
    await server.settle()
    expect((await alice.get(`/v1/folders/${folder}/files`)).body).toMatchObject([{ id: kept.id }])
    expect((await alice.get(`/v1/folders/${folder}/passages`)).body).toMatchObject([{ text: 'kept' }])
    expect(await blocks()).toEqual(['Emptied/kept.txt'])
    expect((await alice.delete(`/v1/folders/${folder}/${gone.id}`)).status).toBe(404)
  })

  test('count in what folders hold', async () => {
    const { bob } = server
    const folder = (await bob.post('/v1/folders/', { name: 'Counted' })).body.id
    await upload(bob, folder, 'a.txt', 'four')
    const { body } = await bob.get('/v1/folders/metadata')
    expect(body).toMatchObject({ total_sources: 1, total_files: 1, total_size: 4 })
  })
})

test('the passages of a folder are those of all its files, with vectors when asked for', async () => {
  const { alice } = server
  const folder = await newFolder('Passages')
  await upload(alice, folder, 'a.txt', 'The cat sat on the mat.')
  await upload(alice, folder, 'b.txt', 'Dogs bark.')
  await server.settle()
  const url = `/v1/folders/${folder}/passages`
  const listed = (await alice.get(url)).body
  expect(listed.map(({ text }: { text: string }) => text).sort()).toEqual(['Dogs bark.', 'The cat sat on the mat.'])
  for (const passage of listed) expect(passage).not.toHaveProperty('embedding')
  expect(await walk(alice, `${url}?limit=1`)).toEqual(listed)
  expect((await alice.get(`/v1/sources/${folder}/passages`)).body).toEqual(listed)
  const [first] = (await alice.get(`${url}?include=passage.embedding&limit=1`)).body
  expect(first.embedding).toHaveLength(512)
})
