import { text, texts, toolsOf } from './tool.ts'

const message = text('What to tell: complete in itself, it is all they see.')
const other_agent_id = text('The id of the other agent, as agent-<uuid>.')

/** Agents talking to agents. */
export const MULTI_AGENT_TOOLS = toolsOf('svc_multi_agent_core', {
  send_message_to_agent_and_wait_for_reply: {
    description: 'Tell another agent something and get its reply.',
    parameters: { message, other_agent_id },
  },
  send_message_to_agents_matching_tags: {
    description: 'Tell every other agent with certain tags the same thing and get all their replies.',
    parameters: {
      message,
      match_all: texts('Only agents that have every one of these tags. May be empty.'),
      match_some: texts('Of those, only agents that have at least one of these. May be empty.'),
    },
  },
  send_message_to_agent_async: {
    description: 'Tell another agent something without waiting: you learn that it was sent, not what it replies.',
    parameters: { message, other_agent_id },
  },
})
