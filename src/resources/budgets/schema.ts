import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { Closed, Create, Id, Instant, Int, Page, Params, Patch, Query, Shape } from '../../lib/wire.ts'

const { Optional } = Type

const subjects = { api_key_id: Id('api_key'), agent_id: Id('agent') }

const limits = {
  tokens: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Of prompts and answers, a day.' }),
  cost: Type.Number({ minimum: 0, maximum: 1e12, description: 'In US dollars a day, of models whose price is known.' }),
  runs: Int({ description: 'Runs a day.' }),
}

export const Budget = Shape('Budget', {
  id: Id('budget'),
  api_key_id: Optional(subjects.api_key_id),
  agent_id: Optional(subjects.agent_id),
  tokens: Optional(limits.tokens),
  cost: Optional(limits.cost),
  runs: Optional(limits.runs),
  /** Today, in UTC, since the budget is there. */
  used: Closed({ tokens: limits.tokens, cost: limits.cost, runs: limits.runs }),
  resets_at: Instant({ description: 'The end of the day in UTC.' }),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
})
export type Budget = Static<typeof Budget>

const NOW = `statement_timestamp() at time zone 'UTC'`

export const budgets = defineResource<Budget>()(Budget, {
  table: 'budgets',
  prefix: 'budget',
  order: 'desc',
  conflicts: {
    budgets_api_key: 'This key has a budget already: change that one.',
    budgets_agent: 'This agent has a budget already: change that one.',
  },
  computed: {
    used: `(select json_build_object('tokens', coalesce(sum(days.tokens), 0)::bigint, 'cost', coalesce(sum(days.cost), 0),
        'runs', coalesce(sum(days.runs), 0)::int)
      from usage_days as days where days.organization_id = ${ORGANIZATION} and days.day = (${NOW})::date
        and (days.agent_id = budgets.agent_id or days.api_key_id = budgets.api_key_id))`,
    resets_at: `((date_trunc('day', ${NOW}) + interval '1 day') at time zone 'UTC')`,
  },
})

export const CreateBudget = Create({ ...subjects, ...limits })
export type CreateBudget = Static<typeof CreateBudget>

export const UpdateBudget = Patch(limits)

export const ListBudgets = Query({
  ...Page('budget'),
  ...{ api_key_id: Optional(subjects.api_key_id), agent_id: Optional(subjects.agent_id) },
})
export type ListBudgets = Static<typeof ListBudgets>

export const BudgetParams = Params({ budget_id: Id('budget') })
