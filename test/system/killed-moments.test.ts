import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Answer } from '../models/answer.ts'
import { startScriptedModel } from '../models/scripted/model.ts'
import { startStrictProviders } from '../models/strict.ts'
import { isSummary } from '../models/windowed.ts'
import { caller, createMigratedStore, type Answer as Reply } from '../process.ts'
import { type Asked, serve } from '../stand-ins/wire.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

const KEY = 'key-of-the-killed-moments'

const NEVER = new Promise<never>(() => {})

/** The answers of a model whose server ends meanwhile: three words are eight events of a stream. */
const HANGING: Record<string, Answer> = {
  'before the first byte': { text: 'one two three', after: NEVER },
  'amid a chunk': { text: 'one two three', pause: { after: 3, until: NEVER } },
  'after the last chunk': { text: 'one two three', pause: { after: 6, until: NEVER } },
  'at a summary': { after: NEVER },
  'at a tool': { calls: [{ name: 'count', arguments: { mark: 'hangs' } }] },
  'between two tools': {
    calls: [
      { name: 'memory_insert', arguments: { label: 'human', new_string: 'Likes tea.' } },
      { name: 'count', arguments: { mark: 'hangs too' } },
    ],
  },
  'at an approval': {
    calls: [{ name: 'memory_replace', arguments: { label: 'human', old_string: 'Ada', new_string: 'Eve' } }],
  },
  'at the caller': { calls: [{ name: 'ask_user', arguments: {} }] },
  'at a callback': { text: 'Done.' },
}
const MOMENTS = Object.keys(HANGING)

const lastText = ({ body }: Asked): string => JSON.stringify(body.messages.at(-1).content ?? '')

/** A model that hangs at the moments that messages name, until the server is killed. */
async function startHangingModel() {
  let killed = false
  const reached = new Set<string>()
  const model = await startScriptedModel({
    answers(request) {
      const text = isSummary(request) ? 'at a summary' : lastText(request)
      const moment = killed ? undefined : MOMENTS.find((one) => text.includes(one))
      if (!moment || (moment === 'at a summary' && !isSummary(request))) {
        return { text: 'Done.', usage: { input: 9_000, output: 5 } }
      }
      reached.add(moment)
      return HANGING[moment]!
    },
  })
  const kill = () => {
    killed = true
  }
  return { model, reached, kill }
}

const SOURCE =
  'def count(mark: str) -> str:\n    """Counts.\n\n    Args:\n        mark: What is counted.\n    """\n    return ""\n'

test('a server killed while the model answers, a tool runs, somebody is asked, or it calls back: all goes on', {
  timeout: 240_000,
}, async () => {
  const store = await createMigratedStore()
  onTestFinished(() => store.drop())
  const file = join(store.directory, 'counted')
  writeFileSync(file, '')
  const strict = await startStrictProviders()
  const { model, reached, kill } = await startHangingModel()
  const receiver = await serve(() => ({ status: 200, body: {} }))
  onTestFinished(async () => void (await Promise.all([strict.close(), model.close(), receiver.close()])))
  receiver.otherwise = () => 'never'
  const env = {
    ...strict.settings,
    CAIRN_API_KEY: KEY,
    COUNT_FILE: file,
    LEASE_MS: '1000',
    CAIRN_ALLOWED_NETWORKS: 'loopback',
  }
  const start = () => store.serve({ ...env, LOG_LEVEL: 'warn' }, 'test/servers/counting.ts')

  const first = await start()
  const call = caller(first.url, KEY)
  const { body: tool } = await call('PUT', '/v1/tools/', { source_code: SOURCE })
  const client_tools = [{ name: 'ask_user', parameters: { type: 'object', properties: {} } }]
  const begin = async (moment: string) => {
    const { body: agent } = await call('POST', '/v1/agents/', {
      tool_ids: [tool.id],
      memory_blocks: [{ label: 'human', value: 'Ada' }],
      tool_rules: [{ type: 'requires_approval', tool_name: 'memory_replace' }],
      llm_config: { model: 'any', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 12_000 },
    })
    const url = `/v1/agents/${agent.id}/messages`
    // A history that the next message makes too long.
    const long = 'So many words of no use. '.repeat(1_000)
    if (moment === 'at a summary') await call('POST', url, { input: long })
    const callback_url = moment === 'at a callback' ? receiver.url : undefined
    const { status, body: run } = await call('POST', `${url}/async`, {
      input: moment === 'at a summary' ? `${moment} ${long}` : moment,
      client_tools,
      callback_url,
    })
    expect(status).toBe(200)
    return { moment, agent: agent.id as string, run: run.id as string }
  }
  const begun = await Promise.all(MOMENTS.map(begin))
  await vi.waitUntil(
    () =>
      reached.size === MOMENTS.length && readFileSync(file, 'utf8').split('\n').length > 2 && receiver.asked.length > 0,
    PATIENT,
  )
  const isWaiting = async () => (await call('GET', '/v1/approvals/')).body.length === 2
  await vi.waitUntil(isWaiting, PATIENT)
  await first.kill('SIGKILL')
  kill()
  receiver.otherwise = () => undefined
  if (store.databaseUrl) {
    // Other servers take over jobs when the heart of this one has been still for a while.
    const { kysely, close } = await store.open()
    await sql`update jobs.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`.execute(
      kysely,
    )
    await close()
  }

  const second = await start()
  const again = caller(second.url, KEY)
  await vi.waitUntil(async () => (await again('GET', '/v1/runs/?active=true')).body.length === 0, PATIENT)
  await vi.waitUntil(() => receiver.asked.length > 1, PATIENT)
  for (const [n, { moment, agent, run }] of begun.entries()) {
    const { body: ended } = await again('GET', `/v1/runs/${run}`)
    expect([moment, ended.status]).toEqual([moment, 'completed'])
    const waits = ['at an approval', 'at the caller'].includes(moment)
    if (waits) await answer(again, agent)
    const next = { input: 'And now?', override_model: strict.handles[n % strict.handles.length] }
    const { status } = await again('POST', `/v1/agents/${agent}/messages`, next)
    expect([moment, status]).toEqual([moment, 200])
    const { value } = (await again('GET', `/v1/agents/${agent}/core-memory/blocks/human`)).body
    const written = { 'between two tools': 'Ada\nLikes tea.', 'at an approval': 'Eve' }[moment] ?? 'Ada'
    expect([moment, value]).toEqual([moment, written])
  }
  expect(readFileSync(file, 'utf8').trim().split('\n').toSorted()).toEqual(['hangs', 'hangs too'])
  expect(strict.refusals()).toEqual([])
})

/** Answers the request of an agent that waits: approves a call, or returns what the caller's tool has found. */
async function answer(call: ReturnType<typeof caller>, agent: string): Promise<void> {
  const [{ request }] = (await call('GET', `/v1/approvals/?agent_id=${agent}`)).body
  const [{ tool_call_id, name }] = request.tool_calls
  const approvals =
    name === 'ask_user'
      ? [{ type: 'tool', tool_call_id, tool_return: 'Tea.', status: 'success' }]
      : [{ type: 'approval', tool_call_id, approve: true }]
  const reply: Reply = await call('POST', `/v1/agents/${agent}/messages`, {
    messages: [{ type: 'approval', approvals }],
  })
  expect([name, reply.status]).toEqual([name, 200])
}
