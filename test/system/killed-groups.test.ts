import { expect, onTestFinished, test, vi } from 'vitest'
import type { Answer } from '../models/answer.ts'
import { startScriptedModel } from '../models/scripted/model.ts'
import { caller, createMigratedStore } from '../process.ts'
import type { Asked } from '../stand-ins/wire.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }
const KEY = 'key-of-the-killed-groups'
const NEVER = new Promise<never>(() => {})
const NAMES = ['Ada', 'Bob', 'Eve']

/** The agents whose first call hangs until the server is killed: the second of three, and one that looks after memory. */
const HANGING = ['Bob', 'sleeper']

const remember = (text: string): Answer => ({
  calls: [{ name: 'memory_insert', arguments: { label: 'shared', new_string: text } }],
})

/** A model of agents that write their name into a block that all of them have, and then speak. */
async function startModel() {
  let killed = false
  const reached = new Set<string>()
  const model = await startScriptedModel({
    answers({ body }: Asked) {
      const isSleeper = body.tools?.some(
        (tool: { function: { name: string } }) => tool.function.name === 'memory_finish_edits',
      )
      const name = isSleeper ? 'sleeper' : body.model
      const isFirst = body.messages.at(-1).role !== 'tool'
      if (!killed && HANGING.includes(name)) {
        reached.add(name)
        return { text: 'one two three', pause: { after: 3, until: NEVER } }
      }
      if (isFirst) return remember(name)
      return isSleeper ? { calls: [{ name: 'memory_finish_edits', arguments: {} }] } : { text: `I am ${name}.` }
    },
  })
  const kill = () => {
    killed = true
  }
  return { model, reached, kill }
}

test('a server killed in a turn of a group and of a sleeping agent: each has one turn, and memory has each line once', {
  timeout: 240_000,
}, async () => {
  const store = await createMigratedStore()
  onTestFinished(() => store.drop())
  const { model, reached, kill } = await startModel()
  onTestFinished(() => model.close())
  const env = { CAIRN_API_KEY: KEY, LEASE_MS: '1000', CAIRN_ALLOWED_NETWORKS: 'loopback', LOG_LEVEL: 'warn' }
  const start = () => store.serve(env, 'test/servers/counting.ts')

  const first = await start()
  const call = caller(first.url, KEY)
  const { body: block } = await call('POST', '/v1/blocks/', { label: 'shared', value: 'Names' })
  const make = async (name: string, body: object = {}) => {
    const llm_config = { model: name, model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
    const common = { name, llm_config, block_ids: [block.id], tools: ['memory_insert'] }
    return (await call('POST', '/v1/agents/', { ...common, include_base_tools: false, ...body })).body
  }
  const agents: string[] = []
  for (const name of NAMES) agents.push((await make(name)).id)
  const manager_config = { manager_type: 'round_robin' }
  const { body: group } = await call('POST', '/v1/groups/', { agent_ids: agents, description: 'Three', manager_config })
  const zoe = await make('Zoe', { enable_sleeptime: true })
  const [sleeper] = zoe.managed_group.agent_ids
  await call('PATCH', `/v1/groups/${zoe.managed_group.id}`, {
    manager_config: { manager_type: 'sleeptime', sleeptime_agent_frequency: null },
  })

  const messages = [{ role: 'user', content: 'Who are you?' }]
  const { body: run } = await call('POST', `/v1/groups/${group.id}/messages/async`, { messages })
  const { body: answer } = await call('POST', `/v1/agents/${zoe.id}/messages`, { messages })
  const [sleeping] = answer.usage.run_ids
  await vi.waitUntil(() => reached.size === HANGING.length, PATIENT)
  await first.kill('SIGKILL')
  kill()

  const second = await start()
  const again = caller(second.url, KEY)
  await vi.waitUntil(async () => (await again('GET', '/v1/runs/?active=true')).body.length === 0, PATIENT)
  for (const id of [run.id, sleeping]) {
    expect((await again('GET', `/v1/runs/${id}`)).body).toMatchObject({ status: 'completed' })
  }
  const { body: turns } = await again('GET', `/v1/runs/?parent_run_id=${run.id}&order=asc`)
  expect(turns.map((turn: { agent_id: string; status: string }) => [turn.agent_id, turn.status])).toEqual(
    agents.map((agent) => [agent, 'completed']),
  )
  const { body: said } = await again('GET', `/v1/runs/${run.id}/messages?limit=100`)
  const spoken = said.flatMap((one: { message_type: string; content: string }) =>
    one.message_type === 'assistant_message' ? [one.content] : [],
  )
  expect(spoken).toEqual(NAMES.map((name) => `I am ${name}.`))
  const { value } = (await again('GET', `/v1/blocks/${block.id}`)).body
  expect(value.split('\n').toSorted()).toEqual([...NAMES, 'Names', 'Zoe', 'sleeper'].toSorted())
  for (const path of [`groups/${group.id}`, `agents/${zoe.id}`, `agents/${sleeper}`]) {
    expect((await again('POST', `/v1/${path}/messages`, { input: 'And now?' })).status).toBe(200)
  }
})
