import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { instantOf } from '../lib/ids.ts'
import { type AcceptedRun, acceptRun, type NewRun } from './accept.ts'
import { ABANDONED, closeRequest } from './close-request.ts'

/** The refusals of one message before its sender is asked to pause, and the pause in seconds. */
const PATIENCE = 5
const PAUSE = 30

/** A request whose calls nobody can answer waits for its caller so long, in milliseconds. */
const ABANDONED_MS = 10 * 60 * 1000

/** The messages whose refusals are counted. */
const MAX_COUNTED = 10_000

/** The request for approval that an error names as its reason; undefined for any other error. */
export const pendingRequestIn = (error: unknown): string | undefined =>
  error instanceof ApiError ? (error.fields as { pending_request_id?: string })?.pending_request_id : undefined

const paused = ({ message, headers, fields = {}, vendorFields = {} }: ApiError) =>
  new ApiError('conflict', message, { headers: { ...headers, 'retry-after': String(PAUSE) }, fields, vendorFields })

/**
 * Whether a request has waited long for the return of a caller's tool that the sender of a run doesn't have: no person can approve
 * it, as calls of the agent's own tools can be.
 */
async function isAbandoned(scope: Scope, { threadId, agentId, request }: NewRun, requestId: string): Promise<boolean> {
  const since = instantOf(requestId)?.getTime() ?? 0
  if (Date.now() - since < ABANDONED_MS) return false
  const { organizationId } = scope
  const [waiting] = await scope.query<{ names: string[]; known: string[] }>(sql`
    select to_json(array(select call ->> 'name' from json_array_elements(pending_approval -> 'tool_calls') as call)) as names,
      to_json(array(select tools.name from agents_tools as link join tools
        on tools.organization_id = ${organizationId} and tools.id = link.tool_id
        where link.organization_id = ${organizationId} and link.agent_id = ${agentId})) as known
    from threads where organization_id = ${organizationId} and id = ${threadId} and pending_approval ->> 'id' = ${requestId}`)
  const answerable = new Set([...(waiting?.known ?? []), ...(request.client_tools ?? []).map(({ name }) => name)])
  return waiting?.names.some((name) => !answerable.has(name)) ?? false
}

/** Accepts runs, and counts how often a request that waits for an approval has refused the same message. */
export function createAcceptance() {
  const counts = new Map<string, number>()
  const keyOf = (threadId: string, otid: string) => `${threadId} ${otid}`
  /** Counts a refusal of messages with these ids. */
  const count = (threadId: string, otids: readonly string[]): void => {
    for (const otid of otids) {
      const key = keyOf(threadId, otid)
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (counts.size > MAX_COUNTED) counts.delete(counts.keys().next().value!)
    }
  }
  /**
   * As `acceptRun`. A message that a request has refused five times gets a 409 with `Retry-After`, also in place of a stream;
   * a request that nobody can answer any more is denied then.
   */
  const accept = async (scope: Scope, run: NewRun): Promise<AcceptedRun> => {
    const isTried = run.otids.some((otid) => (counts.get(keyOf(run.threadId, otid)) ?? 0) >= PATIENCE)
    try {
      return await acceptRun(scope, isTried ? { ...run, besidePending: false } : run)
    } catch (error) {
      const requestId = pendingRequestIn(error)
      if (requestId === undefined) throw error
      count(run.threadId, run.otids)
      if (!isTried) throw error
      if (!(await isAbandoned(scope, run, requestId))) throw paused(error as ApiError)
      await closeRequest(scope, run, ABANDONED)
      return acceptRun(scope, run)
    }
  }
  return { accept, count }
}
export type Acceptance = ReturnType<typeof createAcceptance>
