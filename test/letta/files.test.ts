import Letta, { toFile } from '@letta-ai/letta-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FILED } from '../filed-agent.ts'
import { all, type LettaServer, refused, startLetta, UNKNOWN } from './client.ts'

let server: LettaServer
/** Of Alice: with five files, of which it may have two open. */
let agent_id: string
beforeAll(async () => {
  server = await startLetta()
})
afterAll(() => server.close())
beforeEach(async () => {
  const file = await toFile(Buffer.from(JSON.stringify(FILED)), 'agent.af')
  agent_id = (await server.alice.agents.importFile({ file })).agent_ids[0]!
})

const list = (query: Parameters<Letta['agents']['files']['list']>[1] = {}) =>
  all(server.alice.agents.files.list(agent_id, { order: 'asc', ...query }))
const openNames = async () => (await list({ is_open: true })).map(({ file_name }) => file_name)

test('the files an agent sees come from page to page, in both directions', async () => {
  const files = await list()
  expect(files.map(({ file_name }) => file_name)).toEqual(['0.txt', '1.txt', '2.txt', '3.txt', '4.txt'])
  expect(files[0]).toMatchObject({ is_open: true, folder_name: expect.stringMatching(/^Papers/) })
  expect(files[0]!.visible_content).toContain('1: text 0')
  expect(await list({ limit: 2 })).toEqual(files)
  expect(await list({ limit: 2, order: 'desc' })).toEqual(files.toReversed())
  expect(await list({ limit: 2, cursor: files[1]!.id })).toEqual(files.slice(2))
  const back = await list({ limit: 2, before: files[4]!.id })
  expect(back).toEqual([files[2], files[3], files[0], files[1]])
  const page = await server.alice.agents.files.list(agent_id, { order: 'asc', limit: 2 })
  expect([page.has_more, page.next_cursor]).toEqual([true, files[1]!.id])
})

test('a file is opened, the response names the files closed to make room, and it is closed', async () => {
  const { files } = server.alice.agents
  const [first, , , last] = (await list()).map(({ file_id }) => file_id) as string[]
  expect(await openNames()).toEqual(['0.txt', '1.txt'])
  expect(await files.open(first!, { agent_id })).toEqual([])
  expect(await files.open(last!, { agent_id })).toEqual(['1.txt'])
  expect(await openNames()).toEqual(['0.txt', '3.txt'])
  expect(await files.close(last!, { agent_id })).toEqual({ message: `File id=${last} successfully closed` })
  expect(await openNames()).toEqual(['0.txt'])
  expect(await files.closeAll(agent_id)).toEqual(['0.txt'])
  expect(await openNames()).toEqual([])
})

test('the files of another organization’s agent are a 404', async () => {
  const { files } = server.bob.agents
  const [file] = await list()
  const { file_id } = file!
  await refused(files.list(agent_id), Letta.NotFoundError, agent_id)
  await refused(files.open(file_id, { agent_id }), Letta.NotFoundError, agent_id)
  await refused(files.close(file_id, { agent_id }), Letta.NotFoundError, agent_id)
  await refused(files.closeAll(agent_id), Letta.NotFoundError, agent_id)
  await refused(server.alice.agents.files.open(`file-${UNKNOWN}`, { agent_id }), Letta.NotFoundError, UNKNOWN)
  expect(await openNames()).toEqual(['0.txt', '1.txt'])
})
