import type { RowOf } from '../../db/tables.ts'
import type { Budget } from './schema.ts'

export type BudgetRow = RowOf<Omit<Budget, 'used' | 'resets_at'>>

declare module '../../db/tables.ts' {
  interface Tables {
    budgets: BudgetRow
  }
}
