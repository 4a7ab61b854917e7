import { callsIn, type ScriptedCall } from './scripted-calls.ts'

export interface ScriptedMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  text: string
  /** The name of the tool, in a message of the role `tool`. */
  tool?: string | undefined
}

export interface OfferedTool {
  name: string
  /** The JSON schema of its arguments. */
  parameters?: unknown
}

export interface ScriptedAnswer {
  text: string
  calls: ScriptedCall[]
}

/** The tool by which agents of older types talk to the user. */
const SEND = 'send_message'

/** Arguments that agents of older types add to their tools: a call that lacks them would end the run, or fail. */
const ADDED: Readonly<Record<string, unknown>> = { request_heartbeat: true, thinking: 'The message names this call.' }

/** The end of an answer that repeats a message. Where other agents pass the answer on, it is no message to anybody. */
const HINT =
  ' I am cairn/scripted, a model for trying out and for tests. ' +
  'I call a tool when a message says so: !call tool_name {"name": "value"}.'

/** The maximum number of characters in a quotation. */
const QUOTED = 300

/** The type and the text of a message that the server wrote as JSON: an event, a user's message, a result. */
function unpacked(text: string): { type?: unknown; text: string } {
  if (!text.startsWith('{')) return { text }
  try {
    const { type, message } = JSON.parse(text)
    return { type, text: typeof message === 'string' ? message : text }
  } catch {
    return { text }
  }
}

const isUsers = ({ role, text }: ScriptedMessage) =>
  role === 'user' && !['heartbeat', 'login', 'system_alert'].includes(String(unpacked(text).type))

/** A text in one line, cut to a length that is easy to read. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = Array.from(line.slice(0, 2 * QUOTED + 2))
  return characters.length > QUOTED ? `${characters.slice(0, QUOTED).join('')}…` : characters.join('')
}

function withAddedArguments(call: ScriptedCall, { parameters }: OfferedTool): ScriptedCall {
  const properties = (parameters as { properties?: object } | undefined)?.properties ?? {}
  const added = Object.entries(ADDED).filter(([name]) => name in properties)
  return { ...call, arguments: { ...Object.fromEntries(added), ...call.arguments } }
}

/** The text for a message without calls: it repeats the message, and the one before to show that it is in context. */
function echo(said: readonly string[]): string {
  const [last = '', before] = said.toReversed()
  const memory = before === undefined ? '' : ` Before that, you said: "${quoted(before)}".`
  return `You said: "${quoted(last)}".${memory}${HINT}`
}

/** The beginning of a transcript that is to be summarized: a time, or an earlier summary before it. */
const TRANSCRIPT = /^(Summary of everything before: )?\[\d{4}-\d\d-\d\d \d\d:\d\d\] /

const notOffered = (name: string, tools: readonly OfferedTool[]) =>
  `The tool ${name} is not offered to me now. Offered are: ${tools.map((tool) => tool.name).join(', ') || 'none'}.`

/** The text as an answer; as a call of `send_message` where that tool is offered and wasn't called since the message. */
function spoken(text: string, tools: readonly OfferedTool[], results: readonly ScriptedMessage[]): ScriptedAnswer {
  const send = tools.find(({ name }) => name === SEND)
  if (!send || results.at(-1)?.tool === SEND) return { text, calls: [] }
  const { arguments: given } = withAddedArguments({ name: SEND, arguments: { message: text } }, send)
  const { request_heartbeat: _, ...last } = given
  return { text: '', calls: [{ name: SEND, arguments: last }] }
}

/**
 * The answer of the model `cairn/scripted`, the same for the same conversation. It calls the tools that the newest message of
 * the user names (`!call tool_name {"name": "value"}`), all at once or, unless `parallel`, one after another; when their
 * results are there, it repeats them. `!prompt` makes it answer with the system prompt. Of a transcript it gives the beginning
 * of each line. Any other message it repeats. A call that can't be made becomes a text that says why.
 */
export function scriptedAnswer(
  messages: readonly ScriptedMessage[],
  tools: readonly OfferedTool[],
  { parallel = true }: { parallel?: boolean } = {},
): ScriptedAnswer {
  const newest = messages.findLastIndex(isUsers)
  const said = messages.filter(isUsers).map(({ text }) => unpacked(text).text.replaceAll(HINT, ''))
  const results = messages.slice(newest + 1).filter(({ role }) => role === 'tool')
  const say = (text: string) => spoken(text, tools, results)

  const text = said.at(-1) ?? ''
  if (text.trim() === '!prompt')
    return say(messages.find(({ role }) => role === 'system')?.text || 'There is no prompt.')
  const [transcript, earlier = ''] = tools.length === 0 ? (TRANSCRIPT.exec(text) ?? []) : []
  if (transcript) return say(text.slice(earlier.length).split('\n').map(quoted).join('\n'))
  const found = callsIn(text)
  if (found.problem !== undefined) return say(found.problem)
  const done = results.filter(({ tool }) => tool !== SEND || found.calls.some(({ name }) => name === SEND))
  const due = found.calls.slice(done.length, parallel ? undefined : done.length + 1)
  const calls = due.map((call) => ({ call, tool: tools.find(({ name }) => name === call.name) }))
  const missing = calls.find(({ tool }) => !tool)
  if (missing) return say(notOffered(missing.call.name, tools))
  if (calls.length > 0) return { text: '', calls: calls.map(({ call, tool }) => withAddedArguments(call, tool!)) }
  if (done.length === 0) return say(echo(said))
  return say(
    done.map((result) => `${result.tool ?? 'The tool'} returned: ${quoted(unpacked(result.text).text)}`).join('\n'),
  )
}
