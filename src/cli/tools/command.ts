import { Command } from 'commander'
import type { Act } from '../action.ts'
import { listTools } from './list.ts'
import { pullTools } from './pull.ts'
import { pushTools } from './push.ts'
import { testTool } from './test.ts'

/** `cairn tools` */
export function toolsCommand(act: Act): Command {
  const tools = new Command('tools').description('bring the source of tools to a server and back, and try tools')
  for (const create of [listTools, pushTools, pullTools, testTool]) tools.addCommand(create(act))
  return tools
}
