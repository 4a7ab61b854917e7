import type { AgentWithRelations } from '../../resources/agents/load.ts'
import type { ToolRule } from '../../resources/agents/tool-rules.ts'
import type { Tool } from '../../resources/tools/schema.ts'
import type { GroupTool, GroupTurn } from '../request.ts'

const message = (description: string) => ({ type: 'string', description })

/** The description, the parameters and the rules of each tool. */
const TOOLS: Record<
  GroupTool,
  (names: string[]) => { description: string; properties: object; rules: ToolRule['type'][] }
> = {
  choose_next_speaker: (names) => ({
    description: 'Choose who speaks next in the group.',
    properties: { name: { type: 'string', enum: names, description: 'The name of the next speaker.' } },
    rules: ['run_first', 'exit_loop'],
  }),
  hand_over: (names) => ({
    description:
      'Hand the conversation over to another agent of the group, where that agent can do better. It ends your turn.',
    properties: {
      name: { type: 'string', enum: names, description: 'The name of the other agent.' },
      message: message('What the other agent should know or do.'),
    },
    rules: ['exit_loop'],
  }),
  send_message_to_all_agents_in_group: () => ({
    description: 'Send a message to the agents of the group, and get all their replies.',
    properties: { message: message('What to tell: complete in itself, it is all they see.') },
    rules: [],
  }),
}

/** An agent with the tool of its turn in a group, for the length of that turn. */
export function withGroupTool(agent: AgentWithRelations, group: GroupTurn | undefined): AgentWithRelations {
  const name = group?.tool
  if (!name) return agent
  const names = [...group.members.map((member) => member.name), ...(group.end ? [group.end] : [])]
  const { description, properties, rules } = TOOLS[name](names)
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  const json_schema = { name, description, parameters }
  const tool: Tool = { id: name, name, tool_type: 'svc_multi_agent_core', description, json_schema }
  return {
    ...agent,
    tools: [...agent.tools.filter((other) => other.name !== name), tool],
    row: {
      ...agent.row,
      tool_rules: [...(agent.row.tool_rules ?? []), ...rules.map((type) => ({ type, tool_name: name }) as ToolRule)],
    },
  }
}
