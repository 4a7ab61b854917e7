import { Type } from 'typebox'
import { integer, text, texts, toolsOf } from './tool.ts'

const { Optional } = Type

const Chunk = Type.Object({
  start_index: integer('The number of its first line in the transcript.'),
  end_index: integer('The number of its last line, included.'),
  context: text('In a sentence or two, what it is about and why it matters.'),
})

/** What a voice agent and its memory keeper use. */
export const VOICE_TOOLS = toolsOf('svc_voice_sleeptime_core', {
  store_memories: {
    description:
      'Put parts of the transcript you were given away for the long term, before they leave the conversation.',
    parameters: { chunks: Type.Array(Chunk, { description: 'The parts worth keeping, each about one subject.' }) },
  },
  rethink_user_memory: {
    description: 'Write anew what is known of the user, with what the conversation has added to it.',
    parameters: { new_memory: text("The whole new text. What isn't in it is gone.") },
  },
  finish_rethinking_memory: {
    description: 'Say that you are done with the memory of the user. Call it last.',
    parameters: {},
  },
  search_memory: {
    description:
      "Look for what bears on the user's last words, in long-term memory and in earlier messages. Keywords and a time " +
      'window narrow the messages.',
    parameters: {
      convo_keyword_queries: Optional(
        texts('Words to find in earlier messages. Leave it out to go by the last words alone.'),
      ),
      start_minutes_ago: Optional(integer('Only messages at most this many minutes old.')),
      end_minutes_ago: Optional(integer('Only messages at least this many minutes old.')),
    },
    parallel: true,
  },
})
