import { Command, InvalidArgumentError } from 'commander'

export interface Options {
  agents: number
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
    .option('--database-url <url>', 'measure on this PostgreSQL server, in a database of its own', postgresUrl)
    .option('--seconds <n>', 'how long each figure is measured', number(3, false), 5)
    .option('--json <file>', 'write the figures to this file too')
    .parse(argv)
    .opts<Partial<Options>>()
  return {
    agents: given.agents!,
    seconds: given.seconds!,
    databaseUrl: given.databaseUrl,
    json: given.json,
  }
}
