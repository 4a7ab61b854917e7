import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../test/models/answer.ts'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { useTestServer } from '../../test/server.ts'
import type { StoredMessage } from '../resources/messages/table.ts'

const server = useTestServer()
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

const BY_TEXT = ['svc_v1_agent', 'sleeptime_agent']
const BY_TOOL = [
  'mem_agent',
  'mem_v2_agent',
  'split_thread_agent',
  'react_agent',
  'workflow_agent',
  'voice_convo_agent',
  'voice_sleeptime_agent',
]

const [A, B, C] = ['memory_insert', 'core_memory_append', 'memory_rethink'] as const
const LETTERS: Readonly<Record<string, string>> = { [A]: 'A', [B]: 'B', [C]: 'C', send_message: 'S' }
const ARGUMENTS: Readonly<Record<string, object>> = {
  A: { label: 'notes', new_string: 'a' },
  B: { label: 'notes', content: 'b' },
  C: { label: 'notes', new_memory: 'c' },
  S: { message: 'Hello.' },
}
const nameOf = (letter: string) => Object.keys(LETTERS).find((name) => LETTERS[name] === letter)!

/**
 * The answer of a model in short: a call of A, B, C or S, or `say`, which is S for agents that answer by a tool. Those ask for
 * another step, unless the call bears a minus.
 */
function answerOf(step: string, byText: boolean): Answer {
  if (step === 'text' || (step === 'say' && byText)) return { text: 'Hello.' }
  const letter = step === 'say' ? 'S' : step[0]!
  const request_heartbeat = !step.endsWith('-') && step !== 'say'
  const added = byText ? {} : { thinking: 'Hm.', request_heartbeat }
  return { calls: [{ name: nameOf(letter), arguments: { ...added, ...ARGUMENTS[letter] } }] }
}

/** Stored rows in short: a call, with `!` where it was refused; `…` where the server has the model go on; `text`. */
function short(rows: readonly StoredMessage[]): string {
  const calls = new Map(
    rows.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => [call.id, call.function.name])),
  )
  const words = rows.flatMap(({ role, otid, tool_calls, tool_returns }) => {
    if (role === 'user') return otid === null ? '…' : []
    if (role === 'approval') return tool_calls?.length ? 'asks' : 'answered'
    if (role === 'assistant') return tool_calls?.length ? [] : 'text'
    return (tool_returns ?? []).map(
      ({ tool_call_id, status }) => LETTERS[calls.get(tool_call_id)!]! + (status === 'error' ? '!' : ''),
    )
  })
  return words.join(' ')
}

async function makeAgent(agent_type: string, tool_rules: object[], more: object = {}): Promise<string> {
  const byText = BY_TEXT.includes(agent_type)
  const exit = { type: 'exit_loop', tool_name: 'send_message' }
  const { status, body } = await server.alice.post('/v1/agents/', {
    agent_type,
    system: 'You are a test.',
    llm_config: { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
    memory_blocks: [{ label: 'notes', value: '' }],
    include_base_tools: false,
    include_base_tool_rules: false,
    tools: [A, B, C, ...(byText ? [] : ['send_message'])],
    tool_rules: [...tool_rules, ...(byText ? [] : [exit])],
    initial_message_sequence: [],
    ...more,
  })
  expect([status, body.detail]).toEqual([200, undefined])
  return body.id
}

const rowsOf = (id: string) =>
  server.scopeOf(server.organizations.alice).query<StoredMessage>(sql`
    select * from messages where organization_id = ${server.organizations.alice} and agent_id = ${id} and role <> 'system'
    order by created_at, id`)

/** Sends a message to an agent whose model follows a script. Returns its rows in short, and why its run ended. */
async function play(id: string, script: string, byText: boolean, body: object = {}): Promise<string> {
  const answers = script.split(' ').map((step) => answerOf(step, byText))
  const before = model.requests.length
  model.add(...answers)
  const reply = await server.alice.post(`/v1/agents/${id}/messages`, { input: 'Go.', ...body })
  expect([reply.status, model.requests.length - before]).toEqual([200, answers.length])
  return `${short(await rowsOf(id))} : ${reply.body.stop_reason.stop_reason}`
}

/** A rule, the answers of the model, and the rows with the reason of the end: of agents that answer by text, and by a tool. */
const RULES: [rule: object, script: string, byText: string, byTool: string][] = [
  [{ type: 'run_first', tool_name: A }, 'B A B say', 'B! A B text : end_turn', 'B! … A … B … S : end_turn'],
  [
    { type: 'constrain_child_tools', tool_name: A, children: [B] },
    'A C B- say',
    'A C! B text : end_turn',
    'A … C! … B : end_turn',
  ],
  [
    { type: 'parent_last_tool', tool_name: A, children: [B] },
    'B A- B say',
    'B! A B text : end_turn',
    'B! … A … B … S : end_turn',
  ],
  [
    { type: 'conditional', tool_name: C, child_output_mapping: { c: B }, default_child: A },
    'C- A B say',
    'C A! B text : end_turn',
    'C … A! … B … S : end_turn',
  ],
  [
    { type: 'conditional', tool_name: C, child_output_mapping: { other: B }, require_output_mapping: true },
    'C text',
    'C text : end_turn',
    'C … text : end_turn',
  ],
  [
    { type: 'max_count_per_step', tool_name: A, max_count_limit: 2 },
    'A A A say',
    'A A A! text : end_turn',
    'A … A … A! … S : end_turn',
  ],
  [{ type: 'exit_loop', tool_name: A }, 'B A', 'B A : tool_rule', 'B … A : tool_rule'],
  [{ type: 'continue_loop', tool_name: A }, 'A- say', 'A text : end_turn', 'A … S : end_turn'],
  [{ type: 'required_before_exit', tool_name: A }, 'say A say', 'text … A text : end_turn', 'S … A … S : end_turn'],
]

/** Adapts a script where the type ends sooner than another: the model is not asked again. */
const played = (script: string, expected: string) => {
  const steps = expected
    .split(' : ')[0]!
    .split(' ')
    .filter((word) => word !== '…').length
  return script.split(' ').slice(0, steps).join(' ')
}

describe.each([...BY_TEXT, ...BY_TOOL])('an agent of the type %s', (type) => {
  const byText = BY_TEXT.includes(type)

  test.each(RULES)('follows the rule %j', async (rule, script, text, tool) => {
    const expected = byText ? text : tool
    expect(await play(await makeAgent(type, [rule]), played(script, expected), byText)).toBe(expected)
  })

  test('asks before a call that needs an approval, and its rules know the calls before it', async () => {
    const rules = [
      { type: 'requires_approval', tool_name: B },
      { type: 'run_first', tool_name: A },
      { type: 'max_count_per_step', tool_name: A, max_count_limit: 1 },
    ]
    const id = await makeAgent(type, rules)
    expect(await play(id, 'A B', byText)).toBe(byText ? 'A asks : requires_approval' : 'A … asks : requires_approval')
    const [call] = (await rowsOf(id)).at(-1)!.tool_calls!
    const approvals = [{ type: 'approval', tool_call_id: call!.id, approve: true }]
    const messages = [{ type: 'approval', approvals }]
    expect(await play(id, 'A say', byText, { messages, input: undefined })).toBe(
      byText ? 'A asks answered B A! text : end_turn' : 'A … asks answered B … A! … S : end_turn',
    )
  })

  test('ends behind an approved call that ends its turn, without asking the model again', async () => {
    const rules = [
      { type: 'requires_approval', tool_name: B },
      { type: 'exit_loop', tool_name: B },
    ]
    const id = await makeAgent(type, rules)
    await play(id, 'B-', byText)
    const [call] = (await rowsOf(id)).at(-1)!.tool_calls!
    const before = model.requests.length
    const messages = [{ type: 'approval', approvals: [{ type: 'approval', tool_call_id: call!.id, approve: true }] }]
    const { body } = await server.alice.post(`/v1/agents/${id}/messages`, { messages })
    expect([body.stop_reason.stop_reason, model.requests.length]).toEqual([byText ? 'tool_rule' : 'end_turn', before])
    expect((await server.alice.get(`/v1/runs/?agent_id=${id}&limit=1`)).body[0].status).toBe('completed')
  })

  test('ends when its steps are used up, unless its last call ends its turn', async () => {
    const id = await makeAgent(type, [{ type: 'exit_loop', tool_name: C }])
    expect(await play(id, 'A B', byText, { max_steps: 2 })).toBe(byText ? 'A B : max_steps' : 'A … B : max_steps')
    expect(await play(id, 'C', byText, { max_steps: 1 })).toMatch(/ C : tool_rule$/)
  })
})

test.each<[string, object, RegExp]>([
  ['that its tool does not have', { nothing: 'x' }, /has no argument .*nothing/],
  ['of another type', { new_string: 5 }, /must be of the type string/],
])('an argument %s can not be prescribed by a rule: the run ends', async (_, args, message) => {
  const id = await makeAgent('svc_v1_agent', [{ type: 'run_first', tool_name: A, args }])
  expect(await play(id, 'A', true)).toBe('A! : invalid_tool_call')
  expect(JSON.stringify((await rowsOf(id)).at(-1)!.tool_returns)).toMatch(message)
})

test('arguments that a rule prescribes replace those of the model, and are stored', async () => {
  const rule = { type: 'constrain_child_tools', tool_name: A, children: [B] }
  const child_arg_nodes = [{ name: B, args: { content: 'prescribed' } }]
  const id = await makeAgent('svc_v1_agent', [{ ...rule, child_arg_nodes }])
  await play(id, 'A B say', true)
  expect((await rowsOf(id)).flatMap(({ tool_calls }) => tool_calls ?? []).at(-1)!.function.arguments).toBe(
    '{"label": "notes", "content": "prescribed"}',
  )
  expect((await server.alice.get(`/v1/agents/${id}/core-memory/blocks/notes`)).body.value).toBe('a\nprescribed')
})

test('a tool that must be called first is the only choice of the model', async () => {
  const id = await makeAgent('svc_v1_agent', [{ type: 'run_first', tool_name: A }])
  await play(id, 'A say', true)
  const [first, second] = model.requests.slice(-2).map(({ body }) => body)
  expect(first.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([A])
  expect([first.tool_choice, second.tool_choice]).toEqual([{ type: 'function', function: { name: A } }, 'auto'])
})

test('a rule on a tool that is not attached forces no call of it', async () => {
  const id = await makeAgent('svc_v1_agent', [{ type: 'run_first', tool_name: 'conversation_search' }])
  expect(await play(id, 'A say', true)).toBe('A text : end_turn')
})
