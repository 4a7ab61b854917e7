import { ApiError, conflict, notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'

/** What a caller is told when a uniqueness rule of the schema is broken, by constraint. */
const CONFLICTS: Record<string, string> = {
  folders_name_key: 'A folder with this name already exists.',
  tools_name_key: 'A tool with this name already exists.',
  identities_identifier_key_key: 'An identity with this identifier_key already exists in this project.',
  agents_blocks_label_key: 'An agent cannot have two blocks with the same label.',
  providers_name_key: 'A provider with this name already exists.',
  projects_slug_key: 'A project with this name, or one that reads the same in a URL, already exists.',
  templates_name_key: 'A template with this name already exists in this project.',
  agents_archives_agent_key: 'This agent already has an archive attached: detach it first.',
}

interface PgFault {
  code?: string
  detail?: string
  constraint?: string
}

/** SQLSTATE classes of a database that can't be reached or can't take the work now. */
const UNAVAILABLE = /^(08|53|57P|40001|40P01|55P03)/

/**
 * Whether the database undid the work only for what another caller did at the same moment, so that doing it again is
 * right: a deadlock, or a block that was renamed while it was being attached under its old label.
 */
export function undone(error: unknown): boolean {
  const { code, constraint, detail } = error as PgFault
  if (code === '40001' || code === '40P01') return true
  // A block that isn't there has no label.
  return constraint === 'agents_blocks_organization_id_block_id_block_label_fkey' && !detail?.includes(', ) is not')
}

/**
 * The answer to an error of the database, or the error itself when it is a bug of ours. A reference to a row that isn't
 * there is a 404 that names it: the schema's foreign keys are the check, so it holds against any race.
 */
export function answerFor(error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error
  const { code, detail, constraint } = error as PgFault
  if (code === '23503') {
    const missing = /=\([^,]+, ([^,)]+)/.exec(detail ?? '')?.[1]
    if (missing && !detail?.includes('referenced')) return notFound(nounOf(missing), missing)
  }
  if (code === '23505' && constraint && CONFLICTS[constraint]) return conflict(CONFLICTS[constraint])
  if (code === '22008' || code === '22021' || code === '22P05' || code === '54000') {
    return new ApiError('invalid', 'A value of the request cannot be stored.', { cause: error })
  }
  const unreachable =
    code === undefined
      ? /timeout exceeded when trying to connect|Connection terminated|Cannot use a pool after/.test(error.message)
      : UNAVAILABLE.test(code) || /^(ECONN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EPIPE)/.test(code)
  if (unreachable) {
    return new ApiError('unavailable', 'The database cannot be reached at the moment. Try again.', {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  }
  return error
}
