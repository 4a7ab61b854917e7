import type { AgentType } from './schema.ts'

const CLASSIC = [
  'send_message',
  'conversation_search',
  'core_memory_append',
  'core_memory_replace',
  'memory',
  'memory_apply_patch',
]

/** The tools an agent of each type starts with. */
const BASE_TOOLS: Record<AgentType, readonly string[]> = {
  voice_sleeptime_agent: ['store_memories', 'rethink_user_memory', 'finish_rethinking_memory'],
  voice_convo_agent: ['send_message', 'search_memory'],
  sleeptime_agent: ['memory_replace', 'memory_insert', 'memory_rethink', 'memory_finish_edits'],
  mem_v2_agent: ['send_message', 'conversation_search', 'memory_replace', 'memory_insert'],
  react_agent: [],
  workflow_agent: [],
  svc_v1_agent: ['conversation_search', 'memory_replace', 'memory_insert'],
  mem_agent: CLASSIC,
  split_thread_agent: CLASSIC,
}

/** The tools of an agent whose memory another one manages. */
const WITH_SLEEPTIME = ['send_message', 'conversation_search', 'archival_memory_search']

export const MULTI_AGENT_TOOLS = [
  'send_message_to_agent_and_wait_for_reply',
  'send_message_to_agents_matching_tags',
  'send_message_to_agent_async',
]

/** The tools with which an agent reads the files of its folders. */
export const FILE_TOOLS = ['open_files', 'grep_files', 'semantic_search_files']

/** The names of the tools that an agent of a type starts with, by whether another agent manages its memory. */
export function baseToolsOf(type: AgentType, sleeptime: boolean): readonly string[] {
  const own = type === 'voice_sleeptime_agent' || type === 'voice_convo_agent' || type === 'sleeptime_agent'
  return sleeptime && !own ? WITH_SLEEPTIME : BASE_TOOLS[type]
}
