import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Asked } from '../stand-ins/wire.ts'
import type { Answer, Responder } from './answer.ts'
import type { Json } from './shape.ts'

const textOf = (content: Json): string =>
  typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('')

/** Whether a request of a scripted model is for a summary. */
export const isSummary = ({ body }: Asked) => textOf(body.messages[0]?.content).startsWith('You summarize')

/** The texts of the messages behind the system prompt. */
export const textsIn = ({ body }: Asked): string[] =>
  body.messages.slice(1).map(({ content, tool_calls }: Json) => textOf(content) + JSON.stringify(tool_calls ?? ''))

/** A summary that keeps the lines with these words, each once, the latest. */
export function extract(transcript: string, words: RegExp): string {
  const lines = transcript
    .split('\n')
    .map((line) => line.replace(/^\[[^\]]*\] \w+: |^Summary of everything before: /, ''))
  return [...new Set(lines.filter((line) => words.test(line)).toReversed())].toReversed().join('\n') || 'Nothing.'
}

/** A model with a window that it holds to. */
export interface Windowed {
  respond: Responder
  /** The tokens of each prompt that it was asked for. */
  prompts: number[]
  /** The prompts that were longer than the window. */
  refused: number
}

export interface WindowedOptions {
  window: number
  /** Tokens for each token of a common tokenizer. */
  factor?: number
  /** The answer to a prompt that fits; by default a word. */
  answer?: (request: Asked) => Answer
  /** The words of lines that summaries keep. */
  keeps?: RegExp
}

/**
 * A model that counts tokens, reports them, and refuses prompts longer than its window as OpenAI does. It summarizes by
 * keeping lines with certain words.
 */
export function windowed({
  window,
  factor = 1,
  answer = () => ({ text: 'Yes.' }),
  keeps = /./,
}: WindowedOptions): Windowed {
  const counts: Windowed = {
    prompts: [],
    refused: 0,
    respond(request) {
      const { messages, tools } = request.body
      const input = Math.ceil(countTokens(JSON.stringify([messages, tools])) * factor)
      counts.prompts.push(input)
      if (input > window) {
        counts.refused++
        const message = `This model's maximum context length is ${window} tokens. Your messages have ${input} tokens.`
        return { error: { status: 400, message } }
      }
      const given = isSummary(request) ? { text: extract(textsIn(request).join('\n'), keeps) } : answer(request)
      return { usage: { input, output: 5 }, ...given }
    },
  }
  return counts
}
