import type { Json } from '../shape.ts'

/** A stream that is being made: quirks change it. */
export interface Draft {
  chunks: Json[]
  /** The request. */
  body: Json
  /** Whether `[DONE]` ends the stream. */
  done: boolean
  lineEnd: '\n' | '\r\n'
  /** A comment before each event. */
  comment?: string
  contentType: string
  /** Replaces the stream. */
  whole?: Json
  /** Breaks the connection after this many chunks. */
  cutAfter?: number
}

const deltas = ({ chunks }: Draft): Json[] => chunks.flatMap(({ choices }) => choices ?? []).map(({ delta }) => delta)
const callsIn = (draft: Draft): Json[] => deltas(draft).flatMap((delta) => delta?.tool_calls ?? [])
const finishOf = ({ chunks }: Draft): Json =>
  chunks.flatMap(({ choices }) => choices ?? []).find((choice) => choice.finish_reason)
const withUsage = ({ chunks }: Draft): Json => chunks.find(({ usage }) => usage)

/** Joins the deltas of each call to one. */
function wholeCalls(draft: Draft): Json[] {
  const first = callsIn(draft).filter(({ function: called }) => called.name !== undefined)
  for (const call of first) {
    const pieces = callsIn(draft).filter(({ index }) => index === call.index)
    call.function.arguments = pieces.map(({ function: called }) => called.arguments).join('')
  }
  draft.chunks = draft.chunks.filter(({ choices }) => {
    const calls = choices?.[0]?.delta?.tool_calls
    return !calls || first.includes(calls[0])
  })
  return first
}

function textAsThinking(draft: Draft, opening: string): void {
  const thinking = deltas(draft).filter((delta) => delta?.reasoning_content !== undefined)
  for (const [at, delta] of thinking.entries()) {
    const [before, behind] = [at === 0 ? opening : '', at === thinking.length - 1 ? '\n</think>\n\n' : '']
    delta.content = before + delta.reasoning_content + behind
    delete delta.reasoning_content
  }
}

const FAILED = {
  message: 'The model has crashed without additional information. (Exit code: null)',
  type: 'server_error',
  code: null,
}

/** What servers of local models do, by name. Of some of them a newer version does otherwise. */
export const QUIRKS = {
  /** Ollama, LM Studio: an answer with calls ends with `stop`. */
  'stop with calls'(draft) {
    finishOf(draft).finish_reason = 'stop'
  },
  /** vLLM, LM Studio: a call without arguments has the text `''`. */
  'empty arguments'(draft) {
    for (const call of callsIn(draft)) call.function.arguments = ''
  },
  /** Servers that pass on what Ollama's own API says: arguments are an object. */
  'arguments as an object'(draft) {
    for (const call of wholeCalls(draft)) call.function.arguments = JSON.parse(call.function.arguments)
  },
  /** Any server at its limit of tokens: the arguments break off. */
  'cut arguments'(draft) {
    for (const call of wholeCalls(draft)) {
      call.function.arguments = call.function.arguments.slice(0, Math.ceil(call.function.arguments.length / 2))
    }
    finishOf(draft).finish_reason = 'length'
  },
  /** Ollama: each call comes whole, and all of them have the index 0. */
  'same index'(draft) {
    for (const call of wholeCalls(draft)) call.index = 0
  },
  /** Small models: all calls of an answer have one id. */
  'duplicate ids'(draft) {
    for (const call of callsIn(draft)) if (call.id) call.id = 'call_0'
  },
  /** llama.cpp: calls have an empty id, or none. */
  'missing ids'(draft) {
    for (const call of callsIn(draft)) delete call.id
  },
  /** Proxies and stopped servers: the stream ends without a reason. */
  'no finish reason'(draft) {
    draft.chunks = draft.chunks.filter(({ choices }) => !choices?.[0]?.finish_reason)
    draft.done = false
  },
  /** LM Studio: the status 200 and an error as JSON instead of a stream. */
  'error as json'(draft) {
    draft.whole = { error: FAILED }
    draft.contentType = 'application/json'
  },
  /** vLLM, LM Studio: an error amid the stream, and more behind it. */
  'error amid the stream'(draft) {
    draft.chunks.splice(Math.ceil(draft.chunks.length / 2), 0, { error: FAILED })
  },
  /** Bare servers: thinking is a part of the text. */
  'think tags'(draft) {
    textAsThinking(draft, '<think>\n')
  },
  /** Bare servers whose template opens the thinking: the text has the closing tag only. */
  'think without opening'(draft) {
    textAsThinking(draft, '')
  },
  /** Ollama, newer vLLM: thinking is called `reasoning`. */
  'reasoning field'(draft) {
    for (const delta of deltas(draft)) {
      if (delta?.reasoning_content === undefined) continue
      delta.reasoning = delta.reasoning_content
      delete delta.reasoning_content
    }
  },
  /** A server that dies: the connection breaks amid the stream. */
  'cut connection'(draft) {
    draft.cutAfter = Math.ceil(draft.chunks.length / 2)
  },
  /** Proxies: CRLF, and comments that keep the connection open. */
  'crlf and comments'(draft) {
    draft.lineEnd = '\r\n'
    draft.comment = ': PROCESSING'
  },
  /** Azure and proxies: chunks without choices, or with none. */
  'empty choices'(draft) {
    const [first] = draft.chunks
    draft.chunks.unshift({ ...first, choices: [], prompt_filter_results: [] })
    draft.chunks.splice(2, 0, { ...first, choices: undefined })
  },
  /** llama.cpp, LM Studio: no usage, though it was asked for. */
  'no usage'(draft) {
    draft.chunks = draft.chunks.filter((chunk) => chunk !== withUsage(draft))
  },
  /** vLLM: usage so far in every chunk. */
  'usage in every chunk'(draft) {
    const { usage } = withUsage(draft) ?? { usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } }
    for (const chunk of draft.chunks) chunk.usage = usage
  },
} satisfies Record<string, (draft: Draft) => void>

export type Quirk = keyof typeof QUIRKS
