import { invalid, type ValidationIssue } from '../../lib/errors.ts'
import { type Clock, readSpan } from '../../lib/time.ts'
import type { Filter } from './search-filter.ts'

/** The period of a search, with the names of its fields in the request. */
export interface Period {
  in: ValidationIssue['in']
  start: readonly [name: string, text: string | null | undefined]
  end: readonly [name: string, text: string | null | undefined]
}

/** The instants at which a period begins and ends. 422 for a text that is no date. */
export function readPeriod({ in: where, start, end }: Period, clock: Clock): Pick<Filter, 'from' | 'before'> {
  const [from, to] = [start, end].map(([name, text]) => {
    if (!text) return undefined
    const span = readSpan(text, clock)
    if (span) return span
    const message = 'must be a date, such as 2026-11-21, or a date and time, such as 2026-11-21T08:30:00Z'
    throw invalid({ in: where, field: name, message })
  })
  return { from: from?.from, before: to?.before }
}
