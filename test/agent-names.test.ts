import Letta from '@letta-ai/letta-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exported, imported } from './agent-export.ts'
import { type LettaServer, refused, startLetta } from './letta/client.ts'
import type { Client } from './server.ts'
import { deploy, edit, makeTemplate } from './templates.ts'

let server: LettaServer
let alice: Client
beforeAll(async () => {
  server = await startLetta()
  alice = server.neutral
})
afterAll(() => server.close())

const model = 'openai/gpt-4o-mini'
/** The longest name: 255 characters, each of two UTF-16 units. */
const LONGEST = '😀'.repeat(255)
const NAMES = [
  'a',
  ' ',
  '50 % (draft) v1.0',
  `"quotes" 'and' \`ticks\``,
  '../a\\b?c=d&e#f',
  '<b>{{name}} $&</b>',
  'Zoë 李雷 👩‍👩‍👧 مرحبا',
  LONGEST,
]
const NOT_NAMES: [string, string, RegExp][] = [
  ['no characters', '', /name: must have at least 1 character/],
  ['256 characters', `${LONGEST}a`, /name: must have at most 255 characters/],
  ['a line break', 'a\nb', /name: must be text without control characters/],
  ['a tab', 'a\tb', /name: must be text without control characters/],
  ['DEL', 'a\u007fb', /name: must be text without control characters/],
  ['a C1 control character', 'a\u0085b', /name: must be text without control characters/],
]

const create = async (name: string, body: object = {}) => {
  const reply = await alice.post('/v1/agents/', { name, model, include_base_tools: false, ...body })
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  return reply.body
}
const nameOf = async (id: string) => (await alice.get(`/v1/agents/${id}`)).body.name

describe.each(NAMES)('the agent name %j', (name) => {
  test('can be set, changed and found', async () => {
    const { id } = await create(name)
    expect(await nameOf(id)).toBe(name)
    const found = await alice.get(`/v1/agents/?name=${encodeURIComponent(name)}`)
    expect(found.body.map((agent: { id: string }) => agent.id)).toContain(id)
    expect((await alice.patch(`/v1/agents/${id}`, { name: `${[...name].slice(1).join('')}!` })).status).toBe(200)
    expect((await alice.patch(`/v1/agents/${id}`, { name })).body.name).toBe(name)
  })

  test('can be set, changed and found by the SDK, in each organization', async () => {
    for (const client of [server.alice, server.bob]) {
      const { id } = await client.agents.create({ name, model })
      expect((await client.agents.update(id, { name })).name).toBe(name)
      const found = await client.agents.list({ name, limit: 1 })
      expect(found.items.map((agent) => agent.id)).toEqual([id])
    }
  })

  test('names the exported file, and survives an import', async () => {
    const { id } = await create(name)
    const { headers } = await alice.get(`/v1/agents/${id}/export`)
    const [, encoded] = /^attachment; filename="agent\.af"; filename\*=UTF-8''([\w.~%!-]+)\.af$/.exec(
      headers['content-disposition']!,
    )!
    expect(decodeURIComponent(encoded!)).toBe(name)
    const file = await exported(alice, id)
    const [copy] = await imported(alice, file)
    expect(await nameOf(copy!)).toBe(name)
    const [renamed] = await imported(alice, { ...file, agents: [{ ...file.agents[0], name: 'x' }] }, { name })
    expect(await nameOf(renamed!)).toBe(name)
  })

  test('can be the name in a template, and of an agent made from it', async () => {
    const template = await makeTemplate(alice, { name })
    await edit(alice, template, (snapshot) => {
      expect(snapshot.agents[0].name).toBe(name)
    })
    const { agent_ids } = await deploy(alice, `${template.name}:latest`, { agent_name: name })
    expect(await nameOf(agent_ids[0])).toBe(name)
  })
})

describe('a name that leaves no room for a suffix', () => {
  test('is shortened for the agent that manages the memory, whose file can be imported', async () => {
    const { managed_group } = await create(LONGEST, { enable_sleeptime: true })
    const [partner] = managed_group.agent_ids
    const name = `${'😀'.repeat(245)}-sleeptime`
    expect(await nameOf(partner)).toBe(name)
    const [copy] = await imported(alice, await exported(alice, partner))
    expect(await nameOf(copy!)).toBe(name)
  })

  test('is shortened for a copy', async () => {
    const { id } = await create(LONGEST)
    const [copy] = await imported(alice, await exported(alice, id), { append_copy_suffix: 'true' })
    expect(await nameOf(copy!)).toBe(`${'😀'.repeat(250)}_copy`)
  })

  test('names a folder and an archive in full', async () => {
    const { id, sources } = await create(LONGEST, { include_default_source: true })
    expect(sources[0].name).toBe(`${LONGEST} External Data Source`)
    expect((await alice.post(`/v1/agents/${id}/archival-memory`, { text: 'x' })).status).toBe(200)
    const [archive] = (await alice.get(`/v1/archives/?agent_id=${id}`)).body
    expect(archive.name).toBe(`${LONGEST}'s Archive`)
  })
})

describe.each(NOT_NAMES)('a name of %s', (_, name, message) => {
  test('is refused by both surfaces, at creation and as a change', async () => {
    const { id } = await create('Before')
    for (const reply of [
      await alice.post('/v1/agents/', { name, model }),
      await alice.patch(`/v1/agents/${id}`, { name }),
    ]) {
      expect([reply.status, reply.body.detail]).toEqual([422, expect.stringMatching(message)])
    }
    await refused(server.alice.agents.create({ name, model }), Letta.UnprocessableEntityError, message)
    await refused(server.alice.agents.update(id, { name }), Letta.UnprocessableEntityError, message)
    expect(await nameOf(id)).toBe('Before')
  })
})
