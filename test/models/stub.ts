import { setImmediate } from 'node:timers/promises'
import { type Asked, type Server, serve, type Answer as WireAnswer } from '../stand-ins/wire.ts'
import { type Answer, type Answers, createAnswers, type Responder, type Script, timed } from './answer.ts'
import type { Json } from './shape.ts'

/** A refused request. `fields` are further fields of the provider's error. */
export class Refusal extends Error {
  readonly status: number
  readonly fields: Record<string, unknown>

  constructor(status: number, message: string, fields: Record<string, unknown>) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

export function refuse(message: string, fields: Record<string, unknown> = {}, status = 400): never {
  throw new Refusal(status, message, fields)
}

/** A request, with the text of its refusal if it was refused. */
export type Received = Asked & { refused?: string }

export interface Stub {
  /** The base URL for clients, with the version of the API. */
  url: string
  /** The key it accepts. */
  key: string
  /** Every request, in the order of arrival. */
  requests: readonly Received[]
  /** Adds answers behind those of the script. */
  add(...answers: (Answer | Responder)[]): void
  close(): Promise<void>
}

export interface StubOptions {
  answers?: Script
}

/** An API of one provider. */
export interface Provider {
  key: string
  /** The path of the base URL. */
  base: string
  /** The body of an error. */
  error(refusal: Refusal): Json
  /** Refuses a request without the right key. */
  authorize(request: Asked): void
  /** The response to a request that asks for no answer of a model, such as the list of models. */
  other(request: Asked): WireAnswer | undefined
  /** Checks a request for an answer, and returns what sends the answer. */
  accept(request: Asked): (answer: Answer) => Json | Iterable<string>
}

const SIZES = [1, 37, 5, 211, 2, 83]

/** The bytes of events, cut between any two bytes. */
async function* bytesOf(events: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let turn = 0
  for await (const event of events) {
    const bytes = Buffer.from(event)
    for (let at = 0; at < bytes.length; ) {
      const size = SIZES[turn++ % SIZES.length]!
      yield bytes.subarray(at, at + size)
      at += size
      await setImmediate()
    }
  }
}

const isStream = (body: Json): body is Iterable<string> => Symbol.iterator in body && !Array.isArray(body)

async function respond(request: Received, provider: Provider, answers: Answers): Promise<WireAnswer> {
  try {
    provider.authorize(request)
    const other = provider.other(request)
    if (other) return other
    const send = provider.accept(request)
    const answer = await answers.next(request)
    const { error } = answer
    if (error) {
      const refusal = new Refusal(error.status, error.message ?? `The script says ${error.status}.`, {})
      const wait = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }
      return { status: error.status, headers: wait, body: provider.error(refusal) }
    }
    const body = send(answer)
    return { status: 200, body: isStream(body) ? bytesOf(timed(body, answer)) : body }
  } catch (error) {
    if (!(error instanceof Refusal)) return { status: 500, body: { error: { message: `The stub failed: ${error}` } } }
    request.refused = error.message
    return { status: error.status, body: provider.error(error) }
  }
}

/** Starts a provider on a free port of the loopback interface. */
export async function startStub(provider: Provider, { answers: script = [] }: StubOptions = {}): Promise<Stub> {
  const answers = createAnswers(script)
  const server: Server = await serve((request) => respond(request, provider, answers))
  return {
    url: server.url + provider.base,
    key: provider.key,
    requests: server.asked,
    add: answers.add,
    close: server.close,
  }
}
