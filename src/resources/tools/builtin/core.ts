import type { BuiltinTool } from './tool.ts'

const tool_type = 'svc_core'

/** Talking to the user, and recalling what is no longer in sight. */
export const CORE_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'send_message',
    tool_type,
    description: 'Say something to the user. It is the only thing the user sees; what you think stays with you.',
    properties: { message: { type: 'string', description: 'What the user reads. Any Unicode text, emoji too.' } },
    required: ['message'],
  },
  {
    name: 'conversation_search',
    tool_type,
    description:
      'Look through earlier messages of this conversation, those too old to be in sight as well. Matches words and ' +
      'meaning. Narrow it by role or by date: to see one day, give that day as start_date and as end_date.',
    properties: {
      query: { type: 'string', description: 'The words or the subject to look for.' },
      roles: {
        type: 'array',
        items: { type: 'string', enum: ['assistant', 'user', 'tool'] },
        description: 'Only messages of these roles. All roles when left out.',
      },
      limit: { type: 'integer', description: 'How many messages at most. A few when left out.' },
      start_date: {
        type: 'string',
        description:
          'The earliest day or minute to include, as YYYY-MM-DD or YYYY-MM-DDTHH:MM. A day counts from 00:00.',
      },
      end_date: {
        type: 'string',
        description: 'The latest day or minute to include, in the same form. A day counts to its last second.',
      },
    },
    required: ['query'],
    parallel: true,
  },
  {
    name: 'archival_memory_insert',
    tool_type,
    description:
      'Put a fact, a summary or a document away for the long term. Write it so that it makes sense on its own when it ' +
      'is found again, and tag it so that it can be.',
    properties: {
      content: { type: 'string', description: 'The text to keep.' },
      tags: {
        type: 'array',
        items: { type: 'string' },
        description: 'Labels to find it by, such as a topic or a project.',
      },
    },
    required: ['content'],
  },
  {
    name: 'archival_memory_search',
    tool_type,
    description:
      'Look through long-term memory for what is closest in meaning to a query, by tags and dates if wanted.',
    properties: {
      query: { type: 'string', description: 'What to look for, in plain words.' },
      tags: { type: 'array', items: { type: 'string' }, description: 'Only entries with these tags.' },
      tag_match_mode: {
        type: 'string',
        enum: ['any', 'all'],
        description: 'Whether an entry needs one of the tags (any, the default) or every one (all).',
      },
      top_k: { type: 'integer', description: 'How many entries at most. 5 when left out.' },
      start_datetime: {
        type: 'string',
        description: 'Only entries kept at or after this ISO 8601 date or time, in your time zone unless it names one.',
      },
      end_datetime: {
        type: 'string',
        description: 'Only entries kept up to this date or time, included. A date alone means its whole day.',
      },
    },
    required: ['query'],
    parallel: true,
  },
]
