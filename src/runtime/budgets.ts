import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'

/** Whose budgets a run uses: those of its agent, and of the key that it acts for. */
export interface Spender {
  agentId: string
}

const dayOf = (now: string) => now.slice(0, 10)

const ofSpender = ({ organizationId, keyId }: Scope, { agentId }: Spender) => sql`
  budgets.organization_id = ${organizationId} and (budgets.agent_id = ${agentId} or budgets.api_key_id = ${keyId ?? ''})`

/** SQL of the budgets of a run that are used up; one that goes on is not held to the number of runs. `now`: ISO 8601. */
const spentBudgets = (scope: Scope, spender: Spender, now: string, isNew: boolean) => sql<{ id: string }>`
  select budgets.id from budgets cross join lateral (
    select coalesce(sum(tokens), 0) as tokens, coalesce(sum(cost), 0) as cost, coalesce(sum(runs), 0) as runs from usage_days
    where usage_days.organization_id = ${scope.organizationId} and usage_days.day = ${dayOf(now)}::date
      and (usage_days.agent_id = budgets.agent_id or usage_days.api_key_id = budgets.api_key_id)) as used
  where ${ofSpender(scope, spender)}
    and (used.tokens >= budgets.tokens or used.cost >= budgets.cost or ${isNew} and used.runs >= budgets.runs)`

/** SQL: whether a budget of a new run, or of one that goes on, is used up. */
export const isSpent = (scope: Scope, spender: Spender, now: string, isNew: boolean): RawBuilder<boolean> =>
  sql<boolean>`exists (${spentBudgets(scope, spender, now, isNew)})`

const ofRuns = (scope: Scope, spender: Spender) =>
  sql`from budgets where ${ofSpender(scope, spender)} and budgets.runs is not null`

/** SQL: whether a budget of a run limits the number of runs. */
export const isCounted = (scope: Scope, spender: Spender) => sql<boolean>`exists (select ${ofRuns(scope, spender)})`

/**
 * Locks the budgets that limit the number of a spender's runs until the transaction ends: runs that begin at once are compared with
 * them one after the other. Returns whether there are any.
 */
export async function lockRunBudgets(tx: Scope, spender: Spender): Promise<boolean> {
  return (await tx.query(sql`select budgets.id ${ofRuns(tx, spender)} order by budgets.id for update`)).length > 0
}

/** What a statement adds to the usage of a day. */
export interface Used {
  tokens?: number
  cost?: number
  runs?: number
}

/** A common table expression that counts usage where the table `run` has a row, and a budget is to be compared with it. */
export const countUsage = (
  scope: Scope,
  spender: Spender,
  now: string,
  { tokens = 0, cost = 0, runs = 0 }: Used,
) => sql`
  counted as (
    insert into usage_days (organization_id, agent_id, api_key_id, day, tokens, cost, runs)
    select ${scope.organizationId}, ${spender.agentId}, ${scope.keyId ?? ''}, ${dayOf(now)}::date,
      ${tokens}::bigint, ${cost}::float8, ${runs}::int
    from run where exists (select from budgets where ${ofSpender(scope, spender)})
    on conflict (organization_id, agent_id, api_key_id, day) do update set tokens = usage_days.tokens + excluded.tokens,
      cost = usage_days.cost + excluded.cost, runs = usage_days.runs + excluded.runs)`

/** 429 for a run whose budget is used up, with the end of the day in UTC. Undefined where none is. */
export async function budgetError(scope: Scope, spender: Spender, isRun = true): Promise<ApiError | undefined> {
  const now = new Date()
  const [spent] = await scope.query<{ id: string }>(spentBudgets(scope, spender, now.toISOString(), isRun))
  if (!spent) return undefined
  const reset = new Date(now)
  reset.setUTCHours(24, 0, 0, 0)
  const seconds = Math.ceil((reset.getTime() - now.getTime()) / 1000)
  return new ApiError(
    'too_many_requests',
    `The budget of today is used up. It is there again at ${reset.toISOString()}.`,
    {
      headers: { 'retry-after': `${seconds}`, 'x-should-retry': 'false' },
      fields: { budget_id: spent.id, resets_at: reset.toISOString() },
    },
  )
}

/** Whether an error says that a budget is used up. */
export const isBudgetError = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'too_many_requests' && 'budget_id' in (error.fields ?? {})

/** Makes a call of a model that is no part of a run, and counts its usage. 429 where a budget of tokens or costs is used up. */
export async function withinBudget<T>(
  scope: Scope,
  spender: Spender,
  call: () => Promise<{ result: T; used: Used | undefined }>,
) {
  const spent = await budgetError(scope, spender, false)
  if (spent) throw spent
  const { result, used } = await call()
  if (used) {
    await scope.query(sql`with run as (select), ${countUsage(scope, spender, new Date().toISOString(), used)} select`)
  }
  return result
}
