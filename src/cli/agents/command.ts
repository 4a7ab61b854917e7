import { Command } from 'commander'
import type { Act } from '../action.ts'
import { cloneAgent } from './clone.ts'
import { createAgent } from './create.ts'
import { deleteAgent } from './delete.ts'
import { exportAgent } from './export.ts'
import { getAgent } from './get.ts'
import { importAgents } from './import.ts'
import { listAgents } from './list.ts'

/** `cairn agents` */
export function agentsCommand(act: Act): Command {
  const agents = new Command('agents').description('list, create, export, import and delete agents')
  for (const create of [listAgents, getAgent, createAgent, deleteAgent, exportAgent, importAgents, cloneAgent]) {
    agents.addCommand(create(act))
  }
  return agents
}
