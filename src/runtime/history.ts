import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { asText } from '../resources/messages/packed.ts'
import type { ContentPart, StoredCall, StoredMessage, StoredReturn } from '../resources/messages/table.ts'

/** The model that a history is rendered for: metadata of other models stays behind. */
export interface Target {
  provider: string
  model: string
  /** Characters of a tool's return that the model sees at most. */
  maxReturn: number
  /** The last row whose returns the model sees shortened. */
  shortenedTo?: string | undefined
}

/** Characters of a shortened return. */
const SHORT_RETURN = 200

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** The result of a call that has none. */
export const MISSING = 'The call was interrupted: nothing is known of its outcome.'

const NOTHING = '[no text]'

function imagePart({ source }: ContentPart): LanguageModelV4FilePart | undefined {
  const { type, url, data, media_type } = (source ?? {}) as Record<string, string | undefined>
  if (data) return { type: 'file', mediaType: media_type ?? 'image/png', data: { type: 'data', data } }
  if (type === 'url' && url) return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) } }
  return undefined
}

function userParts(content: readonly ContentPart[]): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const parts = content.flatMap((part) => {
    if (part.type === 'image') return imagePart(part) ?? []
    return part.text ? { type: 'text' as const, text: part.text } : []
  })
  return parts.length > 0 ? parts : [{ type: 'text', text: NOTHING }]
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const callPart = ({ id, function: { name, arguments: input } }: StoredCall): LanguageModelV4ToolCallPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: parsed(input),
})

/** The parts of a model's own message: as the model gave them where it is the same model, else without metadata. */
function assistantParts({ content, tool_calls, model_parts }: StoredMessage, target: Target): AssistantContent {
  const calls = tool_calls ?? []
  if (model_parts?.provider === target.provider && model_parts.model === target.model) {
    const wanted = new Set(calls.map(({ id }) => id))
    return (model_parts.parts as AssistantContent).flatMap((part) => {
      if (part.type !== 'tool-call') return part
      return wanted.has(part.toolCallId) ? part : []
    })
  }
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text ? { type: 'text' as const, text } : []))
  return [...texts, ...calls.map(callPart)]
}

/** Providers that take images in the returns of tools; others read where the images were. */
const TAKES_IMAGES = /^(anthropic|vertex\.anthropic|openai\.responses|google|amazon-bedrock)/

/** Providers that mark a return as an error. Others wrap an error in JSON once more: there its text says that the call failed. */
const MARKS_ERRORS = /^(anthropic|vertex\.anthropic|amazon-bedrock)/

const clipped = <T extends { text: string }>(part: T, length: number): T =>
  part.text.length > length
    ? { ...part, text: `${part.text.slice(0, length)}… [${part.text.length - length} characters cut]` }
    : part

function resultPart(
  name: string,
  { tool_call_id, status, func_response }: StoredReturn,
  { maxReturn, provider }: Target,
): LanguageModelV4ToolResultPart {
  const call = { type: 'tool-result' as const, toolCallId: tool_call_id, toolName: name }
  const isShown = typeof func_response !== 'string' && maxReturn > SHORT_RETURN && TAKES_IMAGES.test(provider)
  if (isShown && status === 'success') {
    const value = userParts(func_response).map((part) => (part.type === 'text' ? clipped(part, maxReturn) : part))
    return { ...call, output: { type: 'content', value } }
  }
  const value = clipped({ text: asText(func_response) }, maxReturn).text
  const isMarked = status === 'error' && MARKS_ERRORS.test(provider)
  return { ...call, output: { type: isMarked ? 'error-text' : 'text', value } }
}

/** Whether a part says something: models refuse a message of their own that is nothing but thinking. */
const isSaid = (part: AssistantContent[number]) =>
  part.type !== 'reasoning' && (part.type !== 'text' || part.text !== '')

/** The messages of a history, one for each run of the model's own rows: those of one step are one message. */
interface Draft {
  prompt: LanguageModelV4Prompt
  /** The calls that have no result yet. */
  open: Map<string, string>
}

/** Gives each open call an error as its result: every provider refuses a call without one. */
function closeCalls({ prompt, open }: Draft): void {
  if (open.size === 0) return
  const content = [...open].map(([toolCallId, toolName]) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'error-text' as const, value: MISSING },
  }))
  open.clear()
  const last = prompt.at(-1)
  if (last?.role === 'tool') last.content.push(...content)
  else prompt.push({ role: 'tool', content })
}

function addAssistant(draft: Draft, content: AssistantContent): void {
  const last = draft.prompt.at(-1)
  // The calls of one step may lie in two rows.
  if (last?.role === 'assistant') last.content.push(...content)
  else {
    closeCalls(draft)
    draft.prompt.push({ role: 'assistant', content: [...content] })
  }
  for (const part of content) if (part.type === 'tool-call') draft.open.set(part.toolCallId, part.toolName)
}

function addReturns(draft: Draft, row: StoredMessage, target: Target): void {
  const results: LanguageModelV4ToolResultPart[] = []
  for (const stored of row.tool_returns ?? []) {
    const name = draft.open.get(stored.tool_call_id)
    if (name === undefined) {
      // The return of a call that isn't there: the model reads it as a text.
      draft.prompt.push({
        role: 'user',
        content: [{ type: 'text', text: `[tool return] ${asText(stored.func_response)}` }],
      })
      continue
    }
    draft.open.delete(stored.tool_call_id)
    results.push(resultPart(name, stored, target))
  }
  if (results.length > 0) draft.prompt.push({ role: 'tool', content: results })
}

function addUser(draft: Draft, content: readonly ContentPart[]): void {
  closeCalls(draft)
  draft.prompt.push({ role: 'user', content: userParts(content) })
}

/**
 * Renders rows as the prompt of a model. The result is valid for every provider: each call has one result directly behind
 * it, a stray result is a text, no content is empty, and metadata goes to its own provider and model alone.
 */
export function renderHistory(rows: readonly StoredMessage[], system: string, target: Target): LanguageModelV4Prompt {
  const draft: Draft = { prompt: [{ role: 'system', content: system }], open: new Map() }
  const shortened = rows.findIndex(({ id }) => id === target.shortenedTo)
  for (const [n, row] of rows.entries()) {
    switch (row.role) {
      case 'system':
        addUser(draft, [{ type: 'text', text: `[system] ${asText(row.content)}` }])
        break
      case 'user':
      case 'summary':
        addUser(draft, row.content)
        break
      case 'tool':
      case 'function':
        addReturns(draft, row, n <= shortened ? { ...target, maxReturn: SHORT_RETURN } : target)
        break
      case 'approval':
        if (!row.tool_calls?.length) break
        addAssistant(draft, assistantParts(row, target))
        break
      default: {
        const parts = assistantParts(row, target)
        if (parts.length > 0) addAssistant(draft, parts)
      }
    }
  }
  closeCalls(draft)
  return draft.prompt.filter(({ role, content }) => role !== 'assistant' || content.some(isSaid))
}
