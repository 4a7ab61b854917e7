import { Command } from 'commander'
import type { Act } from '../action.ts'
import { cancelRun } from './cancel.ts'
import { listRuns } from './list.ts'
import { showRun } from './show.ts'
import { tailRun } from './tail.ts'

/** `cairn runs` */
export function runsCommand(act: Act): Command {
  const runs = new Command('runs').description('list, show, follow and cancel runs of agents')
  for (const create of [listRuns, showRun, tailRun, cancelRun]) runs.addCommand(create(act))
  return runs
}
