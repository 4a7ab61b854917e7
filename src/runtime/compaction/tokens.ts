import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import type { TokenCount } from '../../resources/messages/table.ts'

/** Bytes of text that models count as one token, on average. */
const BYTES = 4

/** Tokens of an image or a file: providers count them by their size in pixels or pages, not in bytes. */
const FILE = 1_500

/** Tokens that a message or a part costs beside its text. */
const FRAME = 4

/** The tokens of a text, estimated without a tokenizer. */
export const textTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES)

const jsonTokens = (value: unknown) => textTokens(JSON.stringify(value) ?? '')

type Part = Exclude<LanguageModelV4Message['content'], string>[number]

const outputTokens = (output: LanguageModelV4ToolResultPart['output']): number =>
  output.type === 'content'
    ? output.value.reduce((sum, part) => sum + (part.type === 'text' ? textTokens(part.text) : FILE), 0)
    : jsonTokens(output)

function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return textTokens(part.text)
    case 'tool-call':
      return textTokens(part.toolName) + jsonTokens(part.input)
    case 'tool-result':
      return textTokens(part.toolName) + outputTokens(part.output)
    default:
      return FILE
  }
}

/** The tokens of a prompt, estimated without a tokenizer. */
export function promptTokens(prompt: LanguageModelV4Prompt): number {
  let tokens = 0
  for (const { content } of prompt) {
    tokens += FRAME
    if (typeof content === 'string') tokens += textTokens(content)
    else for (const part of content) tokens += FRAME + partTokens(part)
  }
  return tokens
}

/** The tokens of the tools that a call offers, estimated without a tokenizer. */
export const toolTokens = (tools: LanguageModelV4CallOptions['tools'] = []): number => jsonTokens(tools)

/** The factor for models that haven't reported a count yet: an estimate that is too high does less harm. */
const UNKNOWN = 1.3

/** The bounds of the factor: some servers count only the tokens that they haven't cached. */
const [LEAST, MOST] = [0.5, 2]

/** The tokens of a model for each estimated one, by its latest report. */
export function tokenFactor(count: TokenCount | undefined, model: string): number {
  if (count?.model !== model) return UNKNOWN
  return Math.min(MOST, Math.max(LEAST, count.reported / count.estimated))
}

/** The tokens of a prompt of `estimated` tokens: the model's latest report, and an estimate of what has changed since. */
export function calibrated(count: TokenCount | undefined, model: string, estimated: number): number {
  const factor = tokenFactor(count, model)
  if (count?.model !== model) return Math.ceil(estimated * factor)
  const tokens = count.reported + (estimated - count.estimated) * factor
  return Math.ceil(Math.max(tokens, estimated * LEAST))
}
