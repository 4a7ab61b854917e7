import { type Answer, piecesOf, usageOf } from '../answer.ts'
import type { Json } from '../shape.ts'
import { seal } from '../signature.ts'

const FINISH = { length: 'MAX_TOKENS', filter: 'SAFETY' } as const

/**
 * The parts of an answer. A signature of the thinking comes with the first of parallel calls; without calls, with an empty text
 * at the end.
 */
export function* partsOf(answer: Answer, signed: boolean, newSeal: () => string): Generator<Json> {
  const { reasoning, text, calls = [] } = answer
  for (const piece of piecesOf(reasoning ?? '')) yield { text: piece, thought: true }
  for (const piece of piecesOf(text ?? '')) yield { text: piece }
  const signature = signed && { thoughtSignature: seal('gemini', newSeal()) }
  for (const [at, { id, name, arguments: args = {} }] of calls.entries()) {
    yield { functionCall: { ...(id !== undefined && { id }), name, args }, ...(at === 0 && signature) }
  }
  if (calls.length === 0 && signature) yield { text: '', ...signature }
}

export function usageMetadata(answer: Answer) {
  const { input, output, cached, reasoning } = usageOf(answer)
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  }
}

/** One response: the whole, or a chunk of a stream. */
export function responseOf(model: string, answer: Answer, parts: Json[], last: boolean): Json {
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        ...(last && { finishReason: answer.stop ? FINISH[answer.stop] : 'STOP' }),
        index: 0,
      },
    ],
    usageMetadata: usageMetadata(answer),
    modelVersion: model,
    responseId: 'StubStubStubStub',
  }
}

/** The parts as they are in one response: pieces of one text joined. */
export function joined(parts: Json[]): Json[] {
  const whole: Json[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    const joins =
      last?.text !== undefined && part.text !== undefined && last.thought === part.thought && !part.thoughtSignature
    if (joins) last.text += part.text
    else whole.push({ ...part })
  }
  return whole
}

/** The responses of a stream: a part each, and the reason of the end in the last. */
export function* chunksOf(model: string, answer: Answer, parts: Json[]): Generator<Json> {
  const all = parts.length > 0 ? parts : [{ text: '' }]
  for (const [at, part] of all.entries()) yield responseOf(model, answer, [part], at === all.length - 1)
}

export function* eventStream(chunks: Iterable<Json>): Generator<string> {
  for (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\r\n\r\n`
}
