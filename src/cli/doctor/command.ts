import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { EXIT } from '../exit.ts'

async function doctor(cli: Cli): Promise<number> {
  const { findAll } = await import('./findings.ts')
  const findings = await findAll()
  const lines = findings.map(({ name, text, isProblem }) => `${isProblem ? '!' : ' '} ${name.padEnd(10)} ${text}`)
  cli.show(findings, () => lines.join('\n'))
  return findings.some(({ isProblem }) => isProblem) ? EXIT.failed : 0
}

/** `cairn doctor`: reports what a server would find on this machine, and changes nothing. Exit code 1 with a problem. */
export const doctorCommand = (act: Act) =>
  new Command('doctor')
    .description('report what a server finds on this machine, with what to do about problems')
    .addHelpText('after', '\nExit code 1 where there is a problem.')
    .action(act(doctor))
