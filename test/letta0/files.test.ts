import { expect, test } from 'vitest'
import { importFile } from '../agent-export.ts'
import { FILED } from '../filed-agent.ts'
import { olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

test('files of an agent are listed, opened and closed', async () => {
  const id = (await importFile(older.server.alice, FILED)).body.agent_ids[0] as string
  const { files } = older.alice.agents
  const all = (await files.list(id, { order: 'asc' })).files
  expect(all).toMatchObject([0, 1, 2, 3, 4].map((n) => ({ fileName: `${n}.txt`, isOpen: n < 2 })))
  expect(all[0]!.visibleContent).toContain('1: text 0')
  const listed = await pages(async (page) => (await files.list(id, { order: 'asc', ...page })).files)
  expect(listed).toEqual(all.map((file) => file.id))
  const page = await files.list(id, { order: 'asc', limit: 2, isOpen: false })
  expect(page).toMatchObject({ hasMore: true, nextCursor: all[3]!.id })
  expect((await files.list(id, { order: 'asc', cursor: all[3]!.id })).files).toEqual(all.slice(4))

  const [first, , , last] = all.map(({ fileId }) => fileId) as string[]
  expect(await files.open(id, first!)).toEqual([])
  expect(await files.open(id, last!)).toEqual(['1.txt'])
  expect(await files.close(id, last!)).toEqual({ message: `File id=${last} successfully closed` })
  expect(await files.closeAll(id)).toEqual(['0.txt'])
  expect((await files.list(id, { isOpen: true })).files).toEqual([])

  await refused(files.open(id, unknown('file')), 404)
  await refused(older.bob.agents.files.open(id, first!), 404, id)
  await refused(older.bob.agents.files.list(id), 404, id)
})
