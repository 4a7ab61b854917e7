import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Reply } from '../server.ts'
import type { Action, Interruption, Sequence } from './actions.ts'
import { checkStored, marksOf, readStored, type Stored } from './check.ts'
import { awaitQuiet, PATIENT, replaceServer, type World } from './world.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }

const CLIENT_TOOLS = [
  { name: 'ask_user', parameters: { type: 'object', properties: { question: { type: 'string' } } } },
]

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>

/** A thread in play. */
interface Played {
  world: World
  agent: string
  /** The id of the conversation, or of the agent. */
  thread: string
  /** The last body that was sent, and its reply. */
  last?: { body: object; reply: Reply<unknown> } | undefined
  /** Messages that were sent while a run was at work. */
  beside: Promise<unknown>[]
  /** The refused requests of earlier threads. */
  refused: number
}

const isConversation = ({ agent, thread }: Played) => agent !== thread

const urlOf = (played: Played, part: string) =>
  isConversation(played) ? `/v1/conversations/${played.thread}/${part}` : `/v1/agents/${played.thread}/${part}`

const stored = ({ world, agent, thread }: Played) => readStored(world.server.database, agent, thread)

const cancel = (played: Played) =>
  played.world.clients[1].post(urlOf(played, isConversation(played) ? 'cancel' : 'messages/cancel'))

const WAYS = {
  blocking: { streaming: false },
  stream: { streaming: true, stream_tokens: true },
  background: { streaming: true, background: true },
}

let sent = 0

/** A message with an id of its own. */
const said = (image = false) => {
  const text = { type: 'text', text: `Message ${++sent}` }
  return { role: 'user', content: image ? [text, IMAGE] : [text], otid: `otid ${sent}` }
}

/** What is to happen at the `nth` moment of a kind, once. */
function interruptionOf(played: Played, { at, nth, by }: Interruption) {
  let seen = 0
  return async (moment: Interruption['at']) => {
    if (moment !== at || seen++ !== nth) return
    if (by === 'kill') await replaceServer(played.world, played.agent)
    else if (by === 'cancel') await cancel(played)
    // It waits for the run, which waits here.
    else played.beside.push(post(played, { messages: [said()] }, 'blocking', 0))
  }
}

const post = (played: Played, body: object, way: keyof typeof WAYS, server: 0 | 1) =>
  played.world.clients[server].post(urlOf(played, 'messages'), { ...body, ...WAYS[way], client_tools: CLIENT_TOOLS })

/** Sends a body while the models answer as planned. Resolves when all runs have ended. */
async function sendAs(played: Played, body: object, { answers, way, server, interruption }: Of<'answer'> | Of<'send'>) {
  const { world } = played
  world.plan(answers)
  world.interrupt(interruption && interruptionOf(played, interruption))
  const reply = await post(played, body, way, server)
  played.last = { body: { ...body, ...WAYS[way], client_tools: CLIENT_TOOLS }, reply }
  if (reply.status === 500) expect(reply.body.error.type).toMatch(/^llm_/)
  else expect([200, 400, 409]).toContain(reply.status)
  await Promise.all(played.beside)
  await awaitQuiet(world, played.agent)
  world.interrupt(undefined)
  return reply
}

/** The answers to the calls that wait, or to one that nobody knows. */
function answersTo({ thread: { pending_approval: pending } }: Stored, how: Of<'answer'>['how']) {
  const waiting = (pending?.tool_calls ?? []) as { tool_call_id: string; name: string }[]
  const all = waiting.map(({ tool_call_id, name }, n) => {
    const approve = how === 'mixed' ? n % 2 === 0 : how !== 'deny'
    if (name === 'ask_user' && approve) return { type: 'tool', tool_call_id, tool_return: 'Yes.', status: 'success' }
    return { type: 'approval', tool_call_id, approve }
  })
  if (how === 'part') return all.slice(1)
  if (how === 'twice') return [...all, ...all]
  return how === 'unknown' ? [...all, { type: 'approval', tool_call_id: 'call_unknown', approve: true }] : all
}

const idsOf = ({ context }: Stored) => context.map(({ id }) => id)

async function answer(played: Played, action: Of<'answer'>) {
  const before = await stored(played)
  const approvals = answersTo(before, action.how)
  const messages = [{ type: 'approval', approvals }, ...(action.andSay ? [said()] : [])]
  const { status } = await sendAs(played, { messages }, action)
  const isFitting = before.thread.pending_approval && ['approve', 'deny', 'mixed', 'twice'].includes(action.how)
  if (isFitting) return
  // The stream of a run that fails reports its error.
  if (action.way === 'blocking') expect(status).toBe(400)
  if (action.interruption?.by === 'message') return
  expect(idsOf(await stored(played))).toEqual(idsOf(before))
}

async function send(played: Played, action: Of<'send'>) {
  const { world } = played
  const { pending_approval: pending } = (await stored(played)).thread
  const bodyOf = () => ({
    messages: [said(action.image)],
    max_steps: action.maxSteps,
    ...(action.deny && { on_pending: 'deny' }),
    ...(action.model !== undefined && { override_model: world.strict.handles[action.model] }),
  })
  const others = Array.from({ length: action.count - 1 }, () => bodyOf())
  const replies = Promise.all(others.map((body) => post(played, body, action.way, action.server)))
  const { status } = await sendAs(played, bodyOf(), action)
  await replies
  await awaitQuiet(world, played.agent)
  if (action.count === 1) expect([pending?.id, status === 409]).toEqual([pending?.id, pending != null && !action.deny])
}

/** Sends the last request again: nothing changes, unless its run had failed. */
async function sendAgain(played: Played) {
  if (played.last?.reply.status !== 200) return
  const before = await stored(played)
  const failed = before.runs.some(({ status }) => status !== 'completed')
  played.world.plan([])
  await played.world.clients[0].post(urlOf(played, 'messages'), played.last.body)
  await awaitQuiet(played.world, played.agent)
  if (!failed) expect(idsOf(await stored(played))).toEqual(idsOf(before))
}

async function expire({ world, thread }: Played) {
  const { kysely } = world.server.database
  await sql`update threads set pending_expires_at = now() - interval '1 second'
    where id = ${thread} and pending_approval is not null`.execute(kysely)
  await vi.waitUntil(async () => {
    const { rows } = await sql`select from threads where id = ${thread} and pending_approval is not null`.execute(
      kysely,
    )
    return rows.length === 0
  }, PATIENT)
}

async function change(played: Played, fields: object) {
  const { status } = await played.world.clients[0].patch(`/v1/agents/${played.agent}`, fields)
  expect(status).toBe(200)
}

async function act(played: Played, action: Action): Promise<void> {
  const [alice] = played.world.clients
  switch (action.do) {
    case 'send':
      return send(played, action)
    case 'answer':
      return answer(played, action)
    case 'again':
      return sendAgain(played)
    case 'expire':
      return expire(played)
    case 'model':
      return change(played, { model: played.world.strict.handles[action.model] })
    case 'window':
      return change(played, { context_window_limit: action.tokens })
    case 'cancel':
      expect([200, 409]).toContain((await cancel(played)).status)
      return expect((await stored(played)).thread.pending_approval).toBeNull()
    case 'reset':
      if (!isConversation(played)) await alice.patch(`/v1/agents/${played.agent}/reset-messages`, {})
      return
    case 'summarize': {
      const path = isConversation(played) ? urlOf(played, 'compact') : `/v1/agents/${played.agent}/summarize`
      return expect([200, 400]).toContain((await alice.post(path, {})).status)
    }
    case 'fork':
      if (!isConversation(played)) return
      played.thread = (await alice.post(urlOf(played, 'fork'))).body.id
      // The fork itself has received no request.
      played.last = undefined
  }
}

/** Expects the request that waits to be seen wherever clients look for it, and to be the only reason for a 409. */
async function checkVisible(played: Played, { thread: { pending_approval: pending } }: Stored): Promise<void> {
  const [alice] = played.world.clients
  const listed = (await alice.get(`/v1/approvals/?agent_id=${played.agent}`)).body
  const own = listed.filter(({ conversation_id = played.agent }) => conversation_id === played.thread)
  expect(own.map(({ id }: { id: string }) => id)).toEqual(pending ? [pending.id] : [])
  if (!isConversation(played)) {
    const { body } = await alice.get(`/v1/agents/${played.agent}?include=agent.pending_approval`)
    expect(body.pending_approval?.id).toBe(pending?.id)
  }
  if (!pending) return
  // A summary that somebody asked for may be newer.
  const newest = (await alice.get(`${urlOf(played, 'messages')}?limit=2`)).body
  expect(newest).toContainEqual(expect.objectContaining({ id: pending.id, message_type: 'approval_request_message' }))
  const refused = await post(played, { messages: [said()] }, 'blocking', 0)
  expect([refused.status, refused.body.pending_request_id]).toEqual([409, pending.id])
}

async function check(played: Played): Promise<Stored> {
  const state = await stored(played)
  checkStored(state)
  await checkVisible(played, state)
  const memory = (await played.world.clients[0].get(`/v1/agents/${played.agent}/core-memory/blocks/human`)).body.value
  const { written, returned } = marksOf(state, memory)
  expect(written).toEqual(returned)
  expect([...played.world.ran.values()].every((times) => times === 1)).toBe(true)
  expect(played.world.strict.refusals().slice(played.refused)).toEqual([])
  return state
}

/** Plays a sequence on a new thread. After each action, and with every provider at the end, the invariants hold. */
export async function play(world: World, { place, model, actions }: Sequence): Promise<void> {
  const [alice] = world.clients
  const { body } = await alice.post('/v1/agents/', {
    model: world.strict.handles[model],
    tool_ids: world.tools,
    memory_blocks: [{ label: 'human', value: 'Ada' }],
    tool_rules: [{ type: 'requires_approval', tool_name: 'guarded' }],
  })
  const played: Played = { world, agent: body.id, thread: body.id, beside: [], refused: world.strict.refusals().length }
  if (place === 'conversation') {
    played.thread = (await alice.post(`/v1/conversations/?agent_id=${body.id}`, {})).body.id
  }
  for (const action of actions) {
    await act(played, action)
    await check(played)
  }
  world.plan([])
  await change(played, { context_window_limit: 100_000 })
  for (const handle of world.strict.handles) {
    const next = { messages: [said()], override_model: handle, on_pending: 'deny' }
    const reply = await post(played, next, 'blocking', 0)
    expect([handle, reply.status]).toEqual([handle, 200])
  }
  const { thread } = await check(played)
  expect(thread.pending_approval).toBeNull()
}
