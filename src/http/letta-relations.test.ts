import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer()

/** Clients that expect all relations of an agent, by their `User-Agent`. */
const CLIENTS = [
  'curl/8.5.0',
  'axios/1.7.0',
  'python-requests/2.32',
  'node',
  'letta-client/0.1.324',
  'letta-client/10.0',
]

/** Headers of clients that expect the requested relations alone. */
const NEWER = [
  { 'user-agent': 'Letta/JS 1.12.0', 'x-stainless-package-version': '1.12.0' },
  { 'user-agent': 'letta-client/1.0.0a5' },
  { 'user-agent': '@letta-ai/letta-client/1.3.1' },
  { 'user-agent': '' },
]

describe('agents under /letta', () => {
  test('come with all relations for every client but the SDKs of version 1, also beside `include`', async () => {
    const { alice, bob } = server
    const block = { label: 'human', value: 'Likes tea.' }
    const body = { name: 'Ada', tags: ['a'], memory_blocks: [block] }
    const made = (await alice.post('/letta/v1/agents/', body)).body
    const paths = [
      `/letta/v1/agents/${made.id}`,
      '/letta/v1/agents/?name=Ada',
      `/letta/v1/blocks/${made.blocks[0].id}/agents`,
    ]
    for (const path of paths) {
      const get = async (query: string, headers: Record<string, string>) => {
        const { body } = await alice.get(`${path}${path.includes('?') ? '&' : '?'}${query}`, headers)
        return Array.isArray(body) ? body[0] : body
      }
      for (const agent of CLIENTS) {
        for (const query of ['', 'include=agent.tags']) {
          expect(await get(query, { 'user-agent': agent })).toEqual(made)
        }
      }
      for (const headers of NEWER) {
        expect(await get('', headers)).toMatchObject({ blocks: [], tools: [], tags: [] })
        expect(await get('include=agent.tags', headers)).toMatchObject({ blocks: [], tools: [], tags: ['a'] })
      }
      const curl = { 'user-agent': CLIENTS[0]! }
      expect(await get('include_relationships=', curl)).toMatchObject({ blocks: [], tools: [], tags: [] })
      const united = 'include_relationships=memory&include=agent.tags'
      expect(await get(united, curl)).toMatchObject({ blocks: [block], tools: [], tags: ['a'] })
      expect(await get(united, NEWER[0]!)).toMatchObject({ blocks: [block], tools: [], tags: ['a'] })
      expect((await bob.get('/letta/v1/agents/?name=Ada', curl)).body).toEqual([])
    }
    expect((await alice.get('/v1/agents/?name=Ada')).body).toMatchObject([{ blocks: [], tools: [], tags: [] }])
  })

  test('are the response to attaching and detaching, for the same clients', async () => {
    const { alice } = server
    const { id } = (await alice.post('/letta/v1/agents/', { name: 'Holder' })).body
    const folder = (await alice.post('/letta/v1/folders/', { name: 'Manuals' })).body
    const [tool] = (await alice.get('/letta/v1/tools/?name=send_message')).body
    const changes: [string, object?][] = [
      [`folders/attach/${folder.id}`],
      [`sources/detach/${folder.id}`],
      [`tools/attach/${tool.id}`],
      [`tools/approval/${tool.name}`, { requires_approval: true }],
      [`tools/detach/${tool.id}`],
    ]
    for (const [path, body] of changes) {
      const change = (surface: string, headers: Record<string, string>) =>
        alice.patch(`${surface}/v1/agents/${id}/${path}`, body, headers)
      const changed = await change('/letta', { 'user-agent': 'axios/1.7.0' })
      expect(changed).toMatchObject({ status: 200, body: { id, name: 'Holder' } })
      expect(changed.body).toEqual((await alice.get(`/letta/v1/agents/${id}`)).body)
      for (const headers of NEWER) expect(await change('/letta', headers)).toMatchObject({ status: 200, body: null })
      expect(await change('', { 'user-agent': 'axios/1.7.0' })).toMatchObject({ status: 200, body: null })
    }
  })
})
