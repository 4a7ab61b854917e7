import { type Command, InvalidArgumentError } from 'commander'

const USUAL_LIMIT = 50

export interface ListOptions {
  limit: number
  all?: boolean
}

/** A whole number above zero, for an option. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

/** An instant for an option, written as a date or a date and a time; without a zone, in that of this machine. */
export function instant(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Write a time such as 2026-11-23 or 2026-11-23T08:30.')
  return time.toISOString()
}

/** Adds the options of lists: how many rows. */
export const withPages = (command: Command) =>
  command
    .option('--limit <count>', 'how many at most', wholeNumber, USUAL_LIMIT)
    .option('--all', 'all of them, however many')

/** How many rows a list shows at most. */
export const mostRows = ({ limit, all }: ListOptions) => (all ? Number.POSITIVE_INFINITY : limit)

/** Collects the values of an option that can be given several times. */
export const collect = (value: string, values: readonly string[] = []) => [...values, value]
