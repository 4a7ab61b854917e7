import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type ScriptedMessage, scriptedAnswer } from './scripted-answer.ts'
import type { ScriptedCall } from './scripted-calls.ts'

const textsOf = (content: readonly { type: string; text?: string }[]) =>
  content.flatMap((part) => (part.type === 'text' ? (part.text ?? '') : [])).join('')

function scriptedMessages(message: LanguageModelV4Message): ScriptedMessage[] {
  if (message.role === 'system') return [{ role: 'system', text: message.content }]
  if (message.role !== 'tool') return [{ role: message.role, text: textsOf(message.content) }]
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    const { output, toolName } = part
    return { role: 'tool' as const, tool: toolName, text: 'value' in output ? textOf(output.value) : '' }
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** About four characters: for the model's own count of tokens. */
const TOKEN = 4

function* partsOf(text: string, calls: ScriptedCall[], place: number): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  if (text !== '') {
    yield { type: 'text-start', id: 'text' }
    for (const delta of text.match(/\S+\s*|\s+/g) ?? []) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  for (const [n, call] of calls.entries()) {
    const id = `call_${place}_${n}`
    const input = JSON.stringify(call.arguments)
    yield { type: 'tool-input-start', id, toolName: call.name }
    for (const delta of input.match(/[\s\S]{1,12}/g) ?? []) yield { type: 'tool-input-delta', id, delta }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: call.name, input }
  }
}

/** The model `cairn/scripted`: deterministic, without a network and a key. See `scriptedAnswer`. */
export function scriptedModel(): LanguageModelV4 {
  const stream = ({ prompt, tools = [] }: Parameters<LanguageModelV4['doStream']>[0]) => {
    const offered = tools.flatMap((tool) =>
      tool.type === 'function' ? { name: tool.name, parameters: tool.inputSchema } : [],
    )
    const { text, calls } = scriptedAnswer(prompt.flatMap(scriptedMessages), offered)
    const parts: LanguageModelV4StreamPart[] = [...partsOf(text, calls, prompt.length)]
    const tokens = (length: number) => Math.ceil(length / TOKEN)
    const input = tokens(JSON.stringify(prompt).length)
    const output = tokens(text.length + JSON.stringify(calls).length)
    parts.push({
      type: 'finish',
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: output, text: output, reasoning: 0 },
      },
    })
    return parts
  }
  return {
    specificationVersion: 'v4',
    provider: 'cairn',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate() {
      throw new Error('The scripted model only streams.')
    },
    async doStream(options) {
      const { abortSignal, ...rest } = options
      abortSignal?.throwIfAborted()
      return { stream: ReadableStream.from(stream(options)), request: { body: { model: 'scripted', ...rest } } }
    },
  }
}
