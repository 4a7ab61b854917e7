import { Type } from 'typebox'
import { OneOf } from '../../../lib/wire.ts'
import { integer, text, texts, toolsOf } from './tool.ts'

const { Optional } = Type

/** Talking to the user, and recalling what is no longer in sight. */
export const CORE_TOOLS = toolsOf('svc_core', {
  send_message: {
    description: 'Say something to the user. It is the only thing the user sees; what you think stays with you.',
    parameters: { message: text('What the user reads. Any Unicode text, emoji too.') },
  },
  conversation_search: {
    description:
      'Look through earlier messages of this conversation, those too old to be in sight as well. Matches words and ' +
      'meaning. Narrow it by role or by date: to see one day, give that day as start_date and as end_date.',
    parameters: {
      query: Optional(text('The words or the subject to look for. The newest messages when left out.')),
      roles: Optional(
        Type.Array(OneOf(['assistant', 'user', 'tool']), {
          description: 'Only messages of these roles. Those of the user and your own when left out.',
        }),
      ),
      limit: Optional(integer('How many messages at most. A few when left out.')),
      start_date: Optional(
        text('The earliest day or minute to include, as YYYY-MM-DD or YYYY-MM-DDTHH:MM. A day counts from 00:00.'),
      ),
      end_date: Optional(
        text('The latest day or minute to include, in the same form. A day counts to its last second.'),
      ),
    },
    parallel: true,
  },
  archival_memory_insert: {
    description:
      'Put a fact, a summary or a document away for the long term. Write it so that it makes sense on its own when it ' +
      'is found again, and tag it so that it can be.',
    parameters: {
      content: text('The text to keep.'),
      tags: Optional(texts('Labels to find it by, such as a topic or a project.')),
    },
  },
  archival_memory_search: {
    description:
      'Look through long-term memory for what is closest in meaning to a query, by tags and dates if wanted.',
    parameters: {
      query: text('What to look for, in plain words.'),
      tags: Optional(texts('Only entries with these tags.')),
      tag_match_mode: Optional(
        OneOf(['any', 'all'], {
          description: 'Whether an entry needs one of the tags (any, the default) or every one (all).',
        }),
      ),
      top_k: Optional(integer('How many entries at most. 5 when left out.')),
      start_datetime: Optional(
        text('Only entries kept at or after this ISO 8601 date or time, in your time zone unless it names one.'),
      ),
      end_datetime: Optional(
        text('Only entries kept up to this date or time, included. A date alone means its whole day.'),
      ),
    },
    parallel: true,
  },
})
