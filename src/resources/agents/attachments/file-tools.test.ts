import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'

const server = useTestServer()
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const FILE_TOOLS = ['grep_files', 'open_files', 'semantic_search_files']

let count = 0
const makeFolder = async (client = alice): Promise<string> =>
  (await client.post('/v1/folders/', { name: `Folder ${count++}` })).body.id
const makeAgent = async (body: object = {}, client = alice): Promise<string> =>
  (await client.post('/v1/agents/', { name: 'Reader', include_base_tools: false, ...body })).body.id

/** The names of an agent's tools and the ids of its folders, as they are now. */
async function heldBy(agent: string, client = alice) {
  const { body } = await client.get(`/v1/agents/${agent}?include=agent.tools&include=agent.sources`)
  return {
    tools: body.tools.map(({ name }: { name: string }) => name).sort(),
    folders: body.sources.map(({ id }: { id: string }) => id).sort(),
  }
}

const attach = (agent: string, folder: string, path = 'folders') =>
  alice.patch(`/v1/agents/${agent}/${path}/attach/${folder}`)
const detach = (agent: string, folder: string, path = 'folders') =>
  alice.patch(`/v1/agents/${agent}/${path}/detach/${folder}`)

describe('an agent gets the tools that read files', () => {
  test.each(['folder_ids', 'source_ids'])('when it is made with folders (%s), and not without', async (field) => {
    const folder = await makeFolder()
    expect(await heldBy(await makeAgent({ [field]: [folder] }))).toEqual({ tools: FILE_TOOLS, folders: [folder] })
    expect(await heldBy(await makeAgent({ [field]: [] }))).toEqual({ tools: [], folders: [] })
  })

  test('when it is made with the folder that comes of itself', async () => {
    expect((await heldBy(await makeAgent({ name: 'Own folder', include_default_source: true }))).tools).toEqual(
      FILE_TOOLS,
    )
  })

  test.each(['folder_ids', 'source_ids'])(
    'when a change gives it folders (%s), and the answer shows them',
    async (field) => {
      const [agent, folder] = [await makeAgent(), await makeFolder()]
      const { body } = await alice.patch(`/v1/agents/${agent}`, { [field]: [folder] })
      expect(body.tools.map(({ name }: { name: string }) => name).sort()).toEqual(FILE_TOOLS)
      expect(await heldBy(agent)).toEqual({ tools: FILE_TOOLS, folders: [folder] })
    },
  )

  test('when a change gives it folders and other tools at once', async () => {
    const [agent, folder] = [await makeAgent(), await makeFolder()]
    const [{ id }] = (await alice.get('/v1/tools/?name=web_search')).body
    await alice.patch(`/v1/agents/${agent}`, { tool_ids: [id], folder_ids: [folder] })
    expect((await heldBy(agent)).tools).toEqual([...FILE_TOOLS, 'web_search'])
  })

  test.each(['folders', 'sources'])('when one of the %s is attached to it, once', async (path) => {
    const [agent, one, two] = [await makeAgent(), await makeFolder(), await makeFolder()]
    for (const folder of [one, one, two]) {
      expect((await attach(agent, folder, path)).status).toBe(200)
      expect((await heldBy(agent)).tools).toEqual(FILE_TOOLS)
    }
  })
})

describe('an agent loses them with its last folder, and keeps its other tools,', () => {
  /** An agent with one other tool and two folders. */
  async function makeReader(): Promise<{ agent: string; one: string; two: string }> {
    const [one, two] = [await makeFolder(), await makeFolder()]
    return { agent: await makeAgent({ tools: ['web_search'], folder_ids: [one, two] }), one, two }
  }
  const withFiles = [...FILE_TOOLS, 'web_search']

  test.each(['folders', 'sources'])('when that one of the %s is detached', async (path) => {
    const { agent, one, two } = await makeReader()
    await detach(agent, one, path)
    expect(await heldBy(agent)).toEqual({ tools: withFiles, folders: [two] })
    await detach(agent, one, path)
    expect((await heldBy(agent)).tools).toEqual(withFiles)
    await detach(agent, two, path)
    expect(await heldBy(agent)).toEqual({ tools: ['web_search'], folders: [] })
  })

  test.each([
    ['folder_ids', []],
    ['folder_ids', null],
    ['source_ids', []],
    ['source_ids', null],
  ])('when a change takes it away: %s %j', async (field, none) => {
    const { agent, one } = await makeReader()
    await alice.patch(`/v1/agents/${agent}`, { [field]: [one] })
    expect(await heldBy(agent)).toEqual({ tools: withFiles, folders: [one] })
    const { body } = await alice.patch(`/v1/agents/${agent}`, { [field]: none })
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(['web_search'])
    expect(await heldBy(agent)).toEqual({ tools: ['web_search'], folders: [] })
  })

  test('when that folder itself is deleted, whoever else has it', async () => {
    const { agent, one, two } = await makeReader()
    const other = await makeAgent({ folder_ids: [one] })
    const before = (await alice.get(`/v1/agents/${agent}`)).headers.etag
    expect((await alice.delete(`/v1/folders/${one}`)).status).toBe(200)
    expect(await heldBy(other)).toEqual({ tools: [], folders: [] })
    expect(await heldBy(agent)).toEqual({ tools: withFiles, folders: [two] })
    expect((await alice.get(`/v1/agents/${agent}`)).headers.etag).not.toBe(before)
    expect((await alice.delete(`/v1/folders/${two}`)).status).toBe(200)
    expect(await heldBy(agent)).toEqual({ tools: ['web_search'], folders: [] })
  })

  test('and not when a folder’s deletion is refused', async () => {
    const { agent, one, two } = await makeReader()
    const reply = await alice.delete(`/v1/folders/${one}`, { 'if-match': '"99"' })
    expect([reply.status, reply.headers.etag]).toEqual([412, '"1"'])
    expect((await server.bob.delete(`/v1/folders/${one}`)).status).toBe(404)
    expect(await heldBy(agent)).toEqual({ tools: withFiles, folders: [one, two].sort() })
  })
})

test('a tool attached by hand stays while no folder comes or goes, and a change of other fields is none', async () => {
  const agent = await makeAgent({ tools: ['open_files'] })
  const folder = await makeFolder()
  for (const body of [{ name: 'Renamed' }, { folder_ids: [] }, { source_ids: null }]) {
    await alice.patch(`/v1/agents/${agent}`, body)
    expect((await heldBy(agent)).tools).toEqual(['open_files'])
  }
  await detach(agent, folder)
  expect((await heldBy(agent)).tools).toEqual(['open_files'])
})

test('tools taken from an agent that has folders stay away until another folder comes', async () => {
  const agent = await makeAgent({ folder_ids: [await makeFolder()] })
  await alice.patch(`/v1/agents/${agent}`, { tool_ids: [] })
  await alice.patch(`/v1/agents/${agent}`, { description: 'Reads nothing' })
  expect((await heldBy(agent)).tools).toEqual([])
  await attach(agent, await makeFolder())
  expect((await heldBy(agent)).tools).toEqual(FILE_TOOLS)
})

test('with If-Match, of the agent as it was before, the folder and its tools come together', async () => {
  const agent = await makeAgent()
  const url = `/v1/agents/${agent}`
  const stale = (await alice.get(url)).headers.etag!
  const folder = await makeFolder()
  expect((await alice.patch(url, { folder_ids: [folder] }, { 'if-match': stale })).status).toBe(200)
  expect((await heldBy(agent)).tools).toEqual(FILE_TOOLS)
  expect((await alice.patch(url, { folder_ids: [] }, { 'if-match': stale })).status).toBe(412)
  expect((await heldBy(agent)).tools).toEqual(FILE_TOOLS)
})

test('each organization’s agents get its own tools, and nobody’s folders but its own', async () => {
  const { bob } = server
  const [hers, his] = [await makeFolder(), await makeFolder(bob)]
  const agent = await makeAgent({ folder_ids: [his] }, bob)
  const foreign = await bob.patch(`/v1/agents/${agent}`, { folder_ids: [hers] })
  expect([foreign.status, foreign.body.detail]).toEqual([404, expect.stringContaining(hers)])
  expect(await heldBy(agent, bob)).toEqual({ tools: FILE_TOOLS, folders: [his] })
  const toolIds = async (client: Client) =>
    (await client.get('/v1/tools/?name=open_files')).body.map(({ id }: { id: string }) => id)
  const tools = (await bob.get(`/v1/agents/${agent}/tools`)).body.map(({ id }: { id: string }) => id)
  expect(tools).toContain((await toolIds(bob))[0])
  expect(tools).not.toContain((await toolIds(alice))[0])
})

test('folders attached, detached and deleted all at once leave no agent with the tools and no folder, or the reverse', async () => {
  const agents = [await makeAgent(), await makeAgent(), await makeAgent()]
  for (let round = 0; round < 8; round++) {
    const folders = [await makeFolder(), await makeFolder()]
    await attach(agents[round % 3]!, folders[0]!)
    const replies = await Promise.all(
      folders.flatMap((folder) => [
        ...agents.flatMap((agent) => [attach(agent, folder), detach(agent, folder), attach(agent, folder)]),
        alice.delete(`/v1/folders/${folder}`),
      ]),
    )
    expect(replies.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
    for (const agent of agents) {
      const { tools, folders: held } = await heldBy(agent)
      expect([round, held, tools]).toEqual([round, [], []])
    }
  }
})
