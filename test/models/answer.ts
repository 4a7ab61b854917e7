import { setTimeout } from 'node:timers/promises'
import type { Asked } from '../stand-ins/wire.ts'

export interface Call {
  name: string
  arguments?: Record<string, unknown>
  /** Made up where it is absent. */
  id?: string
  /** Ends the arguments after so many characters of their JSON. Gemini sends none in pieces, and ignores it. */
  cut?: number
}

/** An answer of a model, independent of the provider that sends it. */
export interface Answer {
  /** The thinking that comes first. */
  reasoning?: string
  text?: string
  /** Tools to call; several are parallel calls. */
  calls?: readonly Call[]
  /** Why the answer ends before its end: at the limit of tokens, or by a filter. */
  stop?: 'length' | 'filter'
  /** Tokens; 10 and 5 where it is absent. */
  usage?: { input: number; output: number; cached?: number; reasoning?: number }
  /** An error of the provider instead of an answer. */
  error?: { status: number; message?: string; retryAfter?: number }
  /** Awaited before the first byte. */
  after?: Promise<unknown>
  /** Breaks the connection after this many events of the stream. */
  cutAfter?: number
  /** Waits after this many events of the stream, or has something done there. */
  pause?: { after: number; until: Promise<unknown> | (() => Promise<unknown>) }
  /** Milliseconds between two events of the stream. */
  pace?: number
}

/** The events of a stream at the times that the answer gives them; it throws where the connection is to break. */
export async function* timed(events: Iterable<string>, { cutAfter, pause, pace }: Answer): AsyncGenerator<string> {
  let sent = 0
  for (const event of events) {
    if (sent === cutAfter) throw new Error('The connection is cut.')
    if (sent === pause?.after) await (typeof pause.until === 'function' ? pause.until() : pause.until)
    if (pace !== undefined && sent > 0) await setTimeout(pace)
    yield event
    sent++
  }
}

/** Makes an answer from a request. */
export type Responder = (request: Asked) => Answer | Promise<Answer>

/** The answers to the requests, in order, or one function for all of them. */
export type Script = readonly (Answer | Responder)[] | Responder

export interface Answers {
  next(request: Asked): Promise<Answer>
  add(...more: (Answer | Responder)[]): void
}

/** Hands out the answers of a script; `rest` answers once the script is at its end. */
export function createAnswers(script: Script, rest: Responder = () => ({ text: 'Done.' })): Answers {
  const queue = typeof script === 'function' ? [] : [...script]
  const last = typeof script === 'function' ? script : rest
  return {
    async next(request) {
      const entry = queue.shift() ?? last
      const answer = typeof entry === 'function' ? await entry(request) : entry
      await answer.after
      return answer
    },
    add: (...more) => void queue.push(...more),
  }
}

/** The JSON of the arguments of a call, as far as the model gets. */
export const argumentsOf = ({ arguments: given = {}, cut }: Call) => JSON.stringify(given).slice(0, cut)

const LENGTHS = [1, 5, 2, 11, 3, 17]

/** A text cut at odd places, but never inside of a character. */
export function piecesOf(text: string): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; ) {
    const length = LENGTHS[pieces.length % LENGTHS.length]!
    pieces.push(characters.slice(at, at + length).join(''))
    at += length
  }
  return pieces
}

export const usageOf = ({ usage }: Answer) => ({ cached: 0, reasoning: 0, ...(usage ?? { input: 10, output: 5 }) })
