import { Command, InvalidArgumentError } from 'commander'

export interface Options {
  agents: number
  /** How many passages are searched; 0: that part is left out. */
  passages: number
  /** Only operations whose names hold this are measured; absent: all, and what is told of them together. */
  only: string | undefined
  /** A PostgreSQL server to make a database on; absent: the embedded engine. */
  databaseUrl: string | undefined
  json: string | undefined
  /** How long each operation, and each of its two limits, is measured. */
  seconds: number
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

/** Reads the command line. Ends the process with a message when it can't be used, and after `--help`. */
export function readOptions(argv: readonly string[]): Options {
  const given = new Command('npm run bench --')
    .description('Measures the server beside what its database driver and its HTTP stack can do at most.')
    // Fewer would leave no full page behind the deep one.
    .option('--agents <n>', 'how many agents to make', number(500, true), 10_000)
    .option('--passages <n>', 'how many passages to make and search; 0 leaves that out', number(0, true))
    .option('--only <text>', 'measure only operations whose names hold this, such as passages')
    .option('--database-url <url>', 'measure on this PostgreSQL server, in a database of its own', postgresUrl)
    .option('--seconds <n>', 'how long each figure is measured', number(3, false), 5)
    .option('--json <file>', 'write the figures to this file too')
    .parse(argv)
    .opts<Partial<Options>>()
  return {
    agents: given.agents!,
    // Embedded, each takes several times as long to index.
    passages: given.passages ?? (given.databaseUrl ? 100_000 : 10_000),
    seconds: given.seconds!,
    only: given.only,
    databaseUrl: given.databaseUrl,
    json: given.json,
  }
}
