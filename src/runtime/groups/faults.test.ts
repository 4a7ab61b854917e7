import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ended, makeAgent, makeAgents, makeGroup, PATIENT, sendTo, spoken } from '../../../test/group-agents.ts'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { eventsIn } from '../../../test/replies.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callOf } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let model: ScriptedModel
beforeAll(async () => {
  alice = server.alice
  model = await startScriptedModel()
})
afterAll(() => model.close())

const ROUND = { manager_type: 'round_robin' }

const configOf = ({ url }: ScriptedModel) => ({
  model: 'scripted',
  model_endpoint_type: 'openai',
  model_endpoint: url,
  context_window: 32_000,
})

/** An agent whose model stops in the middle of its answer, until `rest` is resolved. */
async function makeSlow(name: string) {
  const rest = Promise.withResolvers<void>()
  const id = await makeAgent(alice, name, { llm_config: configOf(model) })
  model.add({ text: 'one two three', pause: { after: 1, until: rest.promise } }, { text: 'four five six' })
  return { id, rest }
}

const begin = async (group: string): Promise<string> =>
  (await alice.post(`/v1/groups/${group}/messages/async`, { messages: [{ role: 'user', content: 'Hello.' }] })).body.id

/** The turns of a group's run, oldest first. */
const turnsOf = async (run: string): Promise<{ id: string; agent_id: string; status: string; stop_reason: string }[]> =>
  (await alice.get(`/v1/runs/?parent_run_id=${run}&order=asc`)).body

/** Begins a run of a group, and waits until this agent speaks. */
async function beginUntil(group: string, agent: string) {
  const run = await begin(group)
  await vi.waitUntil(
    async () => (await turnsOf(run)).some((turn) => turn.agent_id === agent && turn.status === 'running'),
    PATIENT,
  )
  return run
}

test('a run whose server ends is carried on by another: no member speaks twice', async () => {
  const { Ada, Eve } = await makeAgents(alice, ['Ada', 'Eve'])
  const slow = await makeSlow('Bob')
  const group = await makeGroup(alice, [Ada, slow.id, Eve], ROUND)
  const run = await beginUntil(group, slow.id)
  await sql`update runs set owner = 'gone' where status = 'running'`.execute(server.database.kysely)
  const second = await server.another()
  expect(await ended(second.alice, run)).toMatchObject({ status: 'completed', stop_reason: 'end_turn' })
  slow.rest.resolve()
  const said = spoken((await alice.get(`/v1/runs/${run}/messages`)).body)
  expect(said.map(([name]) => name)).toEqual(['Ada', 'Bob', 'Eve'])
  expect(said[1]![1]).toBe('four five six')
  expect((await turnsOf(run)).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  for (const agent of [Ada, slow.id, Eve]) {
    const messages = (await alice.get(`/v1/agents/${agent}/messages`)).body
    expect(spoken(messages)).toHaveLength(1)
  }
  await second.app.close()
})

test('the end of a group’s run ends the turn of its member', async () => {
  const { Ada, Eve } = await makeAgents(alice, ['Ada', 'Eve'])
  const slow = await makeSlow('Bob')
  const group = await makeGroup(alice, [Ada, slow.id, Eve], ROUND)
  const run = await beginUntil(group, slow.id)
  expect((await alice.post(`/v1/groups/${group}/messages/cancel`, {})).body).toEqual({ [run]: 'cancelled' })
  expect((await ended(alice, run)).status).toBe('cancelled')
  const { status, body } = await alice.post(`/v1/groups/${group}/messages/cancel`, {})
  expect([status, body.detail]).toEqual([409, expect.stringContaining('No run of this group')])
  const turns = await turnsOf(run)
  expect(turns.map(({ agent_id }) => agent_id)).toEqual([Ada, slow.id])
  expect((await ended(alice, turns[1]!.id)).status).toBe('cancelled')
  slow.rest.resolve()
  // What the cancelled run left to read comes with the next message.
  expect(spoken((await sendTo(alice, group, 'Again.')).messages).map(([name]) => name)).toEqual(['Ada', 'Bob', 'Eve'])
})

test('a member that is deleted in the middle is passed over', async () => {
  const { Ada, Eve } = await makeAgents(alice, ['Ada', 'Eve'])
  const slow = await makeSlow('Bob')
  const group = await makeGroup(alice, [Ada, slow.id, Eve], ROUND)
  const run = await beginUntil(group, slow.id)
  expect((await alice.delete(`/v1/agents/${slow.id}`)).status).toBe(200)
  expect(await ended(alice, run)).toMatchObject({ status: 'completed' })
  slow.rest.resolve()
  expect((await turnsOf(run)).map(({ agent_id }) => agent_id)).toEqual([Ada, Eve])
})

test('a member that fails ends the run, which names the member and its error', async () => {
  const { Ada, Eve } = await makeAgents(alice, ['Ada', 'Eve'])
  const failing = await startScriptedModel({ answers: () => ({ error: { status: 400 } }) })
  const bob = await makeAgent(alice, 'Bob', { llm_config: configOf(failing) })
  const group = await makeGroup(alice, [Ada, bob, Eve], ROUND)
  const run = await ended(alice, await begin(group))
  expect(run).toMatchObject({ status: 'failed', stop_reason: 'error' })
  expect(run.metadata.error.message).toContain('The turn of "Bob" failed')
  expect((await turnsOf(run.id)).map(({ status }) => status)).toEqual(['completed', 'failed'])
  const blocking = await alice.post(`/v1/groups/${group}/messages`, { input: 'x' })
  expect([blocking.status, blocking.body.detail]).toEqual([500, expect.stringContaining('"Bob"')])
  const stream = await alice.post(`/v1/groups/${group}/messages`, { input: 'x', streaming: true })
  const kinds = eventsIn(stream.body as unknown as string).map(({ message_type }) => message_type)
  expect(kinds).toEqual(['ping', 'assistant_message', 'stop_reason', 'error_message'])
  await failing.close()
})

test('a member that waits for an approval ends the run, and the group goes on once it has the answer', async () => {
  const { Ada, Eve } = await makeAgents(alice, ['Ada', 'Eve'])
  const tool_rules = [{ type: 'requires_approval', tool_name: 'conversation_search' }]
  const bob = await makeAgent(alice, 'Bob', { tools: ['conversation_search'], tool_rules })
  const group = await makeGroup(alice, [bob, Ada, Eve], ROUND)
  const { messages, stop_reason } = await sendTo(alice, group, callOf('conversation_search', { query: 'x' }))
  expect(stop_reason.stop_reason).toBe('requires_approval')
  const request = messages.at(-1)
  expect(request).toMatchObject({ message_type: 'approval_request_message', sender_id: bob, name: 'Bob' })
  const refused = await alice.post(`/v1/groups/${group}/messages`, { input: 'And now?' })
  expect([refused.status, refused.body.pending_request_id]).toEqual([409, request.id])
  const approvals = [{ type: 'approval', tool_call_id: request.tool_call.tool_call_id, approve: true }]
  const answer = await alice.post(`/v1/agents/${bob}/messages`, { messages: [{ type: 'approval', approvals }] })
  expect(answer.status).toBe(200)
  const next = await sendTo(alice, group, 'And now?')
  expect(spoken(next.messages).map(([name]) => name)).toEqual(['Bob', 'Ada', 'Eve'])
})

test('a group that is deleted takes its runs along, and leaves those of its members', async () => {
  const { Ada } = await makeAgents(alice, ['Ada'])
  const group = await makeGroup(alice, [Ada], ROUND)
  const { usage, messages } = await sendTo(alice, group, 'Hello.')
  const [{ parent_run_id }] = (await alice.get(`/v1/runs/?group_id=${group}`)).body
  expect((await alice.delete(`/v1/groups/${group}`)).status).toBe(200)
  expect((await alice.get(`/v1/runs/${parent_run_id}`)).status).toBe(404)
  expect((await alice.get(`/v1/runs/${usage.run_ids[0]}`)).body.agent_id).toBe(Ada)
  expect((await alice.get(`/v1/agents/${Ada}/messages?limit=1`)).body[0].id).toBe(messages[0].id)
})
