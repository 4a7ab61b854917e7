import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Planned, ToolName } from './invariants/actions.ts'
import { awaitQuiet, replaceServer, startWorld, type World } from './invariants/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }

const said = { role: 'user', content: [{ type: 'text', text: 'Look.' }, IMAGE] }

/** An answer that thinks, and calls tools. */
const thinking = (...calls: ToolName[]): Planned => ({
  reasoning: true,
  text: 'none',
  calls,
  sameIds: false,
  end: 'whole',
})

async function send(agent: string, handle: string, answers: Planned[], messages: object[]) {
  world.plan(answers)
  const body = { messages, override_model: handle }
  const reply = await world.clients[0].post(`/v1/agents/${agent}/messages`, body)
  await awaitQuiet(world, agent)
  expect([handle, reply.status]).toEqual([handle, 200])
  return reply.body.messages.at(-1)
}

/** A conversation with one model: parallel calls and an image, a denied call, an interrupted call, thoughts without words. */
async function converse(agent: string, handle: string): Promise<void> {
  await send(agent, handle, [thinking('memory_insert', 'repeatable')], [said])
  const { tool_calls } = await send(agent, handle, [thinking('guarded', 'memory_insert')], [said])
  const [{ tool_call_id }] = tool_calls
  const approvals = [{ type: 'approval', tool_call_id, approve: false, reason: 'Not today.' }]
  await send(agent, handle, [], [{ type: 'approval', approvals }])
  world.interrupt(async (at) => {
    if (at === 'tool') await replaceServer(world, agent)
  })
  await send(agent, handle, [thinking('once', 'memory_insert')], [said])
  world.interrupt(undefined)
  await send(agent, handle, [thinking()], [said])
}

/** What a provider signs or encrypts, in a request: its signatures, and the ids and the content of its thoughts. */
const sealsIn = (body: object): string[] =>
  [...JSON.stringify(body).matchAll(/"(?:signature|thoughtSignature|encrypted_content)":"([^"]{20,})"|"(rs_[^"]+)"/g)]
    .map(([, value, id]) => (value ?? id)!)
    .filter((seal) => seal !== 'skip_thought_signature_validator')

test('a history goes from provider to provider: each takes it, and gets its own signatures back and no others', {
  timeout: 240_000,
}, async () => {
  const { alice } = world.server
  const { body: agent } = await alice.post('/v1/agents/', {
    tool_ids: world.tools,
    memory_blocks: [{ label: 'human', value: 'Ada' }],
    tool_rules: [{ type: 'requires_approval', tool_name: 'guarded' }],
  })
  const { handles } = world.strict
  for (const handle of handles) await converse(agent.id, handle)
  for (const handle of handles) await send(agent.id, handle, [thinking('memory_insert')], [said])
  expect(world.strict.refusals()).toEqual([])
  const all = (await alice.get(`/v1/agents/${agent.id}/messages?limit=200`)).body
  const returns = all.flatMap(({ tool_returns = [] }) => tool_returns)
  const unknown = returns.filter(({ tool_return = '' }) => tool_return.includes('its outcome is unknown'))
  expect(unknown).toHaveLength(handles.length)

  const seals = handles.map((handle) => world.strict.requests(handle).map(({ body }) => sealsIn(body)))
  for (const [n, handle] of handles.entries()) {
    const own = seals[n]!
    // Each request has the seals of the one before, in their order.
    for (const [at, before] of own.slice(0, -1).entries()) expect(own[at + 1]!.slice(0, before.length)).toEqual(before)
    const others = new Set(seals.flatMap((other, m) => (m === n ? [] : other.flat())))
    expect([handle, own.at(-1)!.filter((seal) => others.has(seal))]).toEqual([handle, []])
  }
  const sealed = handles.filter((_, n) => seals[n]!.at(-1)!.length > 2)
  expect(sealed).toEqual(['anthropic/claude-sonnet-4-5', 'openai/gpt-5-mini', 'google_ai/gemini-3-pro-preview'])
})
