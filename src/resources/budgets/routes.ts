import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { Budget, BudgetParams, budgets, CreateBudget, ListBudgets, UpdateBudget } from './schema.ts'

const params = BudgetParams
const one = { 200: Ref(Budget) }
const config = { right: 'admin' } as const

const operations = operationsOf('budgets', {
  list_budgets: [
    'List budgets of keys and agents, newest first, with what was used today',
    { querystring: ListBudgets, response: { 200: Type.Array(Ref(Budget)) } },
  ],
  create_budget: ['Create the budget of a key or of an agent', { body: CreateBudget, response: one }, config],
  retrieve_budget: ['Retrieve a budget', { params, response: one }],
  modify_budget: [
    'Modify the limits of a budget; null removes a limit',
    { params, body: UpdateBudget, response: one },
    config,
  ],
  delete_budget: ['Delete a budget', { params, response: { 204: NoContent } }, config],
})

/** `/v1/budgets` */
export async function budgetRoutes(app: App) {
  app.get('/', operations.list_budgets, ({ scope, query: { api_key_id, agent_id, ...page } }) =>
    scope.list(budgets, page, (query) =>
      query
        .$if(api_key_id !== undefined, (q) => q.where('budgets.api_key_id', '=', api_key_id!))
        .$if(agent_id !== undefined, (q) => q.where('budgets.agent_id', '=', agent_id!)),
    ),
  )

  app.post('/', operations.create_budget, ({ scope, body }) => {
    if ((body.api_key_id == null) === (body.agent_id == null)) {
      throw invalid(inBody('api_key_id', 'either api_key_id or agent_id is needed, not both'))
    }
    return scope.insert(budgets, body)
  })

  app.get('/:budget_id', operations.retrieve_budget, ({ scope, params }) => scope.retrieve(budgets, params.budget_id))

  app.patch('/:budget_id', operations.modify_budget, ({ scope, params, body }) =>
    scope.update(budgets, params.budget_id, body),
  )

  app.delete('/:budget_id', operations.delete_budget, ({ scope, params }) => scope.remove(budgets, params.budget_id))
}
