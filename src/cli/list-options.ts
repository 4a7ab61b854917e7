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

/** Adds the options of lists: how many rows. */
export const withPages = (command: Command) =>
  command
    .option('--limit <count>', 'how many at most', wholeNumber, USUAL_LIMIT)
    .option('--all', 'all of them, however many')

/** How many rows a list shows at most. */
export const mostRows = ({ limit, all }: ListOptions) => (all ? Number.POSITIVE_INFINITY : limit)

/** Collects the values of an option that can be given several times. */
export const collect = (value: string, values: readonly string[] = []) => [...values, value]
