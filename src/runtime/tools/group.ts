import { pythonText } from '../../lib/python-text.ts'
import { ToolError } from '../memory.ts'
import type { GroupTool, GroupTurn } from '../request.ts'
import { BLOCKED } from '../tool-rules.ts'
import { repeatable, replyOf } from './multi-agent.ts'
import type { Arguments, BuiltinTool, OutsideTool, ToolContext } from './tool.ts'

/** The group of a turn. Throws a ToolError outside of a group. */
function groupOf({ group }: ToolContext): GroupTurn {
  if (!group) throw new ToolError('This tool works in the turn of a group alone.')
  return group
}

/** The name in a call. Throws a ToolError, which doesn't end the turn, without a name, and for one that the group lacks. */
function nameIn(args: Arguments, context: ToolContext): string {
  const { members, end } = groupOf(context)
  const names = [...members.map(({ name }) => name), ...(end ? [end] : [])]
  const name = names.find((one) => one === args.name)
  if (name !== undefined) return name
  const problem = args.name === undefined ? 'The argument "name" is missing.' : `Nobody is named "${args.name}" here.`
  throw new ToolError(`${BLOCKED} ${problem} The names are: ${names.join(', ')}.`)
}

/** The tools of agents in a group. */
export const GROUP_TOOLS: Readonly<Record<GroupTool, BuiltinTool | OutsideTool>> = {
  choose_next_speaker: nameIn,
  hand_over: nameIn,
  send_message_to_all_agents_in_group: repeatable(async (args, context) => {
    const group = groupOf(context)
    return pythonText(await Promise.all(group.members.map(({ id }) => replyOf(id, args, context, group))))
  }),
}
