import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { EXIT } from '../exit.ts'
import { confirm } from '../prompt.ts'
import { carryOut } from './carry-out.ts'
import { type AgentPlan, isEmpty, planAgent } from './plan.ts'
import { showPlans } from './show-plan.ts'

interface Options {
  file: string
  prune?: boolean
  yes?: boolean
}

/** The plans of the agents in a file, all of which are made before anything changes. */
async function plansOf(cli: Cli, { file, prune = false }: Options): Promise<AgentPlan[]> {
  // The shapes of the API, by which the file is checked, are loaded by these commands alone.
  const { readAgentsFile } = await import('./read-file.ts')
  const agents = readAgentsFile(cli.settings.directory, file)
  const client = cli.client()
  const plans: AgentPlan[] = []
  for (const agent of agents) plans.push(await planAgent(client, agent, prune))
  return plans.filter((plan) => !isEmpty(plan))
}

async function apply(cli: Cli, options: Options): Promise<void> {
  const plans = await plansOf(cli, options)
  if (plans.length === 0) return cli.show({ changed: [] }, () => 'Nothing to change.')
  cli.note(showPlans(cli, plans))
  await confirm(cli, 'Apply these changes?', options.yes)
  const client = cli.client()
  const done: string[] = []
  for (const plan of plans) {
    await carryOut(client, plan).catch((error) => {
      if (done.length > 0) cli.note(`Applied to ${done.join(', ')}.`)
      throw error
    })
    done.push(plan.wanted.name)
  }
  cli.show({ changed: done }, () => `Applied to ${plans.length === 1 ? '1 agent' : `${plans.length} agents`}.`)
}

async function diff(cli: Cli, options: Options): Promise<number> {
  const plans = await plansOf(cli, options)
  cli.show(plans, () => showPlans(cli, plans) || 'No differences.')
  return plans.length > 0 ? EXIT.differs : 0
}

const withFile = (command: Command) =>
  command
    .requiredOption('-f, --file <file>', 'a file of agents, in YAML or JSON')
    .option('--prune', 'remove tags, and detach tools, folders and blocks, that the file does not name')

/** `cairn apply` */
export const applyCommand = (act: Act) =>
  withFile(new Command('apply').description('make agents as a file describes them, once the changes are agreed to'))
    .option('-y, --yes', "don't ask")
    .addHelpText('after', '\nThe same file a second time changes nothing.\n\nExample:\n  cairn apply -f agents.yaml')
    .action(act(apply))

/** `cairn diff` */
export const diffCommand = (act: Act) =>
  withFile(new Command('diff').description('show what `cairn apply` would change'))
    .addHelpText('after', '\nExit code 3 where there are differences.\n\nExample:\n  cairn diff -f agents.yaml')
    .action(act(diff))
