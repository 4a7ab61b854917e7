/** A difference that accepted behaviour explains: regular expressions for the scenario and the place. */
export interface Deviation {
  scenario: string
  where: string
  why: string
}

/** A difference; the place begins with the number of the step. */
export interface Difference {
  where: string
  what: string
}

export interface Agreement {
  scenario: string
  /** The steps of the recording: a request each. */
  steps: number
  /** The steps without a difference that no deviation accepts. */
  agreeing: number
  /** The differences that a deviation accepts. */
  accepted: number
  /** The other differences. */
  differences: Difference[]
}

/** Counts the steps of a scenario that agree with the recording. */
export function agreementOf(
  scenario: string,
  steps: number,
  differences: readonly Difference[],
  deviations: readonly Deviation[],
): Agreement {
  const mine = deviations.filter((deviation) => new RegExp(deviation.scenario).test(scenario))
  const left = differences.filter(({ where }) => !mine.some((deviation) => new RegExp(deviation.where).test(where)))
  const numbers = left.flatMap(({ where }) => /^\d+(?= )/.exec(where) ?? []).map(Number)
  // The comparison ends at the first step that was not reached.
  const missed = left.find(({ what }) => what === 'not reached')
  const end = missed ? Number.parseInt(missed.where, 10) : steps
  const agreeing = Array.from({ length: end }, (_, at) => at).filter((at) => !numbers.includes(at)).length
  return { scenario, steps, agreeing, accepted: differences.length - left.length, differences: left }
}

/** Whether nothing differs, and every step was reached. */
export const agrees = ({ steps, agreeing, differences }: Agreement) => differences.length === 0 && agreeing === steps
