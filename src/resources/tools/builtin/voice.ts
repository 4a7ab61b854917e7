import type { BuiltinTool } from './tool.ts'

const tool_type = 'svc_voice_sleeptime_core'

/** What a voice agent and its memory keeper use. */
export const VOICE_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'store_memories',
    tool_type,
    description:
      'Put parts of the transcript you were given away for the long term, before they leave the conversation.',
    properties: {
      chunks: {
        type: 'array',
        description: 'The parts worth keeping, each about one subject.',
        items: {
          type: 'object',
          properties: {
            start_index: { type: 'integer', description: 'The number of its first line in the transcript.' },
            end_index: { type: 'integer', description: 'The number of its last line, included.' },
            context: { type: 'string', description: 'In a sentence or two, what it is about and why it matters.' },
          },
          required: ['start_index', 'end_index', 'context'],
        },
      },
    },
    required: ['chunks'],
  },
  {
    name: 'rethink_user_memory',
    tool_type,
    description: 'Write anew what is known of the user, with what the conversation has added to it.',
    properties: {
      new_memory: { type: 'string', description: "The whole new text. What isn't in it is gone." },
    },
    required: ['new_memory'],
  },
  {
    name: 'finish_rethinking_memory',
    tool_type,
    description: 'Say that you are done with the memory of the user. Call it last.',
    properties: {},
    required: [],
  },
  {
    name: 'search_memory',
    tool_type,
    description:
      "Look for what bears on the user's last words, in long-term memory and in earlier messages. Keywords and a time " +
      'window narrow the messages.',
    properties: {
      convo_keyword_queries: {
        type: 'array',
        items: { type: 'string' },
        description: 'Words to find in earlier messages. Leave it out to go by the last words alone.',
      },
      start_minutes_ago: { type: 'integer', description: 'Only messages at most this many minutes old.' },
      end_minutes_ago: { type: 'integer', description: 'Only messages at least this many minutes old.' },
    },
    required: [],
    parallel: true,
  },
]
