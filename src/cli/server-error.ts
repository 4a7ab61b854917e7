import type { Static } from 'typebox'
import type { Problem } from '../http/problem.ts'
import { CommandError } from './exit.ts'

type ProblemBody = Partial<Static<typeof Problem>>

/** A response with an error status. */
export class RequestFailed extends CommandError {
  readonly status: number
  readonly problem: ProblemBody

  constructor(message: string, status: number, problem: ProblemBody = {}) {
    super(message)
    this.status = status
    this.problem = problem
  }
}

/** The connection to the server broke off, or there is none. */
export class ConnectionLost extends CommandError {}

/** What to do about an error, by its status. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'Set CAIRN_API_KEY to a key of this server, or store one with `cairn login`.',
}

/** The error of a response, with the message of its problem, every fault it names, its request id and the remedy. */
export async function failureOf(response: Response, baseUrl: string): Promise<RequestFailed> {
  const { status, headers } = response
  const location = headers.get('location')
  if (location) {
    return new RequestFailed(`${baseUrl} redirects to ${location}: set the base URL to the server's own.`, status)
  }
  const text = await response.text()
  if (!/\bjson\b/.test(headers.get('content-type') ?? '')) {
    return new RequestFailed(
      `${baseUrl} responded ${status}, but not as a Cairn server does. Is the base URL right?`,
      status,
    )
  }
  const problem = JSON.parse(text) as ProblemBody
  const faults = (problem.errors ?? []).map(({ in: place, field, message }) => `  ${place} ${field}: ${message}`)
  const remedy = REMEDIES[status]
  const lines = [
    `${problem.detail ?? problem.message ?? `The server responded ${status}.`} (${status})`,
    ...faults,
    ...(remedy ? [remedy] : []),
    ...(problem.request_id ? [`Request ${problem.request_id}`] : []),
  ]
  return new RequestFailed(lines.join('\n'), status, problem)
}

/** The error of a request without a response. */
export function connectionError(error: unknown, baseUrl: string): unknown {
  if (!(error instanceof TypeError)) return error
  const cause = error.cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ECONNREFUSED') {
    return new ConnectionLost(
      `No server listens at ${baseUrl}. Start one with \`cairn serve\`, or name another with CAIRN_BASE_URL or a profile.`,
    )
  }
  return new ConnectionLost(`${baseUrl} can't be reached: ${cause?.message ?? error.message}.`)
}
