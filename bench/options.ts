import { Command, InvalidArgumentError } from 'commander'

/** The value of `--only` that selects the soak test. */
export const SOAK = 'soak'

/** The value of `--only` that measures compaction of contexts. */
export const CONTEXT = 'context'

/** The value of `--only` that measures calls of tools in their sandbox. */
export const TOOLS = 'tools'

/** The value of `--only` that measures runs of agents. */
export const RUNS = 'runs'

export interface Options {
  agents: number
  /** The number of searched passages; with 0, searches are left out. */
  passages: number
  /** Measures only operations whose names contain this text, or runs the soak test; absent: everything is measured. */
  only: string | undefined
  /** A PostgreSQL server to create a database on; absent: the embedded engine. */
  databaseUrl: string | undefined
  json: string | undefined
  /** How long each operation, and each of its two limits, is measured. */
  seconds: number
  /** The length of the soak test. */
  minutes: number
}

const number = (min: number, whole: boolean) => (text: string) => {
  const value = Number(text)
  if (!(value >= min) || (whole && !Number.isInteger(value))) {
    throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number of at least ${min}.`)
  }
  return value
}

const postgresUrl = (text: string) => {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new InvalidArgumentError('It must begin with postgres://.')
  return text
}

/** Reads the command line. Ends the process after `--help`, and with a message when an option is invalid. */
export function readOptions(argv: readonly string[]): Options {
  const given = new Command('npm run bench --')
    .description('Measures the server against the limits of its database driver and its HTTP stack.')
    // With fewer agents, no full page follows the deep one.
    .option('--agents <n>', 'the number of agents to create (default: 10000; soak: 1000)', number(500, true))
    .option('--passages <n>', 'the number of passages to create and search; 0: none', number(0, true))
    .option(
      '--only <text>',
      `measure only operations whose names contain this; ${SOAK}: show the memory under load; ${CONTEXT}: what agents remember; ${RUNS}: turns of agents; ${TOOLS}: tools in their sandbox`,
    )
    .option('--database-url <url>', 'measure on this PostgreSQL server, in a database of its own', postgresUrl)
    .option('--seconds <n>', 'the duration of each measurement', number(3, false), 5)
    .option('--minutes <n>', 'the duration of the soak test', number(1, true), 10)
    .option('--json <file>', 'write the figures to this file too')
    .parse(argv)
    .opts<Partial<Options>>()
  const soak = given.only === SOAK
  // The embedded engine takes several times as long to index a passage.
  const passages = given.databaseUrl ? 100_000 : 10_000
  return {
    agents: given.agents ?? (soak ? 1_000 : 10_000),
    passages: given.passages ?? (soak ? 1_000 : passages),
    seconds: given.seconds!,
    minutes: given.minutes!,
    only: given.only,
    databaseUrl: given.databaseUrl,
    json: given.json,
  }
}
