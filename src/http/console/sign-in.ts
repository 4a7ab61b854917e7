import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { type Static, Type } from 'typebox'
import { ApiError } from '../../lib/errors.ts'
import type { App } from '../server.ts'

/** How long a code is valid, in milliseconds. */
const VALID_MS = 10 * 60_000
/** So many wrong codes end the valid one. */
const MAX_WRONG = 5

/** Codes that sign in once. One is valid at a time. */
export interface SignInCodes {
  /** A new code of 128 random bits, valid for ten minutes. Only a hash of the code is stored, in memory. */
  issue(): string
  /** Whether the code is the valid one, which ends with that. */
  redeem(code: string): boolean
}

const digest = (code: string) => hash('sha256', code, 'buffer')

/** No code is valid at first. `now`: the clock, in milliseconds. */
export function createSignInCodes(now = Date.now): SignInCodes {
  let valid: { digest: Buffer; until: number; wrong: number } | undefined
  return {
    issue() {
      const code = randomBytes(16).toString('base64url')
      valid = { digest: digest(code), until: now() + VALID_MS, wrong: 0 }
      return code
    },
    redeem(code) {
      if (!valid || now() >= valid.until) return false
      const right = timingSafeEqual(digest(code), valid.digest)
      if (right || ++valid.wrong >= MAX_WRONG) valid = undefined
      return right
    },
  }
}

/** Whether a request comes from a program on this machine, by its connection, and no proxy has passed it on. */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  if (headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined) return false
  const address = socket.remoteAddress ?? ''
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

const Code = Type.Object({ code: Type.String({ maxLength: 100 }) }, { additionalProperties: false })

const refused = () =>
  new ApiError(
    'unauthorized',
    'This link signs in once, on the machine of the server, within ten minutes of its start. Sign in with an API key, or start the server again for a new link.',
  )

/** POST `/console/sign-in`: exchanges a valid code for the key that `createKey` makes. One 401 for all else. */
export function signInRoute(app: App, codes: SignInCodes, createKey: () => Promise<string>): void {
  app.post('/console/sign-in', { schema: { hide: true, body: Code } }, async (request, reply) => {
    const { code } = request.body as Static<typeof Code>
    if (!isLocal(request) || !codes.redeem(code)) throw refused()
    reply.header('cache-control', 'no-store')
    return { key: await createKey() }
  })
}
