import type { BuiltinTool, Parameter } from './tool.ts'

const tool_type = 'svc_multi_agent_core'

const message: Parameter = { type: 'string', description: 'What to tell: complete in itself, it is all they see.' }
const other_agent_id: Parameter = { type: 'string', description: 'The id of the other agent, as agent-<uuid>.' }

const tagsOf = (description: string): Parameter => ({ type: 'array', items: { type: 'string' }, description })

/** Agents talking to agents. */
export const MULTI_AGENT_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'send_message_to_agent_and_wait_for_reply',
    tool_type,
    description: 'Tell another agent something and get its reply.',
    properties: { message, other_agent_id },
    required: ['message', 'other_agent_id'],
  },
  {
    name: 'send_message_to_agents_matching_tags',
    tool_type,
    description: 'Tell every other agent with certain tags the same thing and get all their replies.',
    properties: {
      message,
      match_all: tagsOf('Only agents that have every one of these tags. May be empty.'),
      match_some: tagsOf('Of those, only agents that have at least one of these. May be empty.'),
    },
    required: ['message', 'match_all', 'match_some'],
  },
  {
    name: 'send_message_to_agent_async',
    tool_type,
    description: 'Tell another agent something without waiting: you learn that it was sent, not what it replies.',
    properties: { message, other_agent_id },
    required: ['message', 'other_agent_id'],
  },
]
