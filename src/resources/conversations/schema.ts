import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { idPattern } from '../../lib/ids.ts'
import {
  Create,
  FilterList,
  Id,
  Instant,
  List,
  Name,
  OneOf,
  OrNull,
  Page,
  Params,
  Patch,
  Query,
  Ref,
  Shape,
  Strict,
  Text,
} from '../../lib/wire.ts'
import { CompactionSettings } from '../agents/schema.ts'
import { MESSAGE_TYPES } from '../messages/schema.ts'
import { Handle, ModelSettings } from '../models/schema.ts'
import { resumeFields } from '../runs/schema.ts'

const { Optional } = Type

const ids = (description: string) => Type.Array(Type.String(), { description })

export const Conversation = Shape('Conversation', {
  id: Id('conv'),
  agent_id: Id('agent'),
  created_at: Instant(),
  in_context_message_ids: Optional(
    ids('The messages in context, oldest first; lists of conversations leave them out.'),
  ),
  isolated_block_ids: ids('The blocks of this conversation alone.'),
  isolated_block_labels: Optional(ids("The labels of the agent's blocks whose place these blocks have taken.")),
  created_by_id: Optional(Type.String()),
  last_message_at: Optional(Instant({ description: 'The time of the newest request.' })),
  last_updated_by_id: Optional(Type.String()),
  model: Optional(Type.String({ description: "The model, where it isn't the agent's." })),
  model_settings: Optional(Ref(ModelSettings)),
  summary: Optional(Type.String()),
  updated_at: Optional(Instant()),
})
export type Conversation = Static<typeof Conversation>

const define = (in_context_message_ids: string) =>
  defineResource<Conversation>()(Conversation, {
    table: 'conversations',
    prefix: 'conv',
    order: 'desc',
    nullableSortKeys: ['last_message_at', 'last_run_completion'],
    json: ['model_settings', 'shared_message_ids', 'isolated_block_labels'],
    computed: {
      in_context_message_ids,
      isolated_block_ids: `to_json(array(select blocks.id from blocks where blocks.organization_id = ${ORGANIZATION}
        and blocks.conversation_id = conversations.id order by blocks.created_at, blocks.id))`,
    },
  })

export const conversations = define(`(select message_ids from threads
  where threads.organization_id = ${ORGANIZATION} and threads.id = conversations.id)`)

/** Conversations without the ids of their messages, which are thousands in a long one. */
export const listedConversations = define(`'[]'::json`)

const fields = {
  summary: Text(),
  model: { ...Handle, description: "The model of this conversation. Default: the agent's." },
  model_settings: Ref(ModelSettings),
}

export const CreateConversation = Create({
  ...fields,
  isolated_block_labels: List(Name(), {
    description:
      "Labels of the agent's blocks: the conversation gets copies of these blocks, and changes its copies alone.",
  }),
})
export type CreateConversation = Static<typeof CreateConversation>

export const UpdateConversation = Patch({ ...fields, last_message_at: Instant() })
export type UpdateConversation = Static<typeof UpdateConversation>

export const ListConversations = Query({
  ...Page('conv', ['created_at', 'last_run_completion', 'last_message_at']),
  agent_id: Optional({ ...Id('agent'), description: 'Only conversations of this agent.' }),
  summary_search: Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the summary, in any case.' }),
  ),
})
export type ListConversations = Static<typeof ListConversations>

export const ConversationParams = Params({ conversation_id: Id('conv') })

/** The agent of a new conversation. */
export const ConversationAgent = Query({ agent_id: Id('agent') })

/** A conversation; or `default` for the messages of an agent itself, which `agent_id` names. */
export const ThreadParams = Params({
  conversation_id: Type.String({
    title: 'conv-<uuid>',
    pattern: `^default$|${idPattern('conv')}|${idPattern('agent')}`,
    maxLength: 42,
    description: 'A conversation; or `default`, with `agent_id`: the messages of the agent itself.',
  }),
})

const DefaultAgent = { ...Id('agent'), description: 'The agent, with the conversation `default`.' }

/** The agent of the conversation `default`. */
export const ThreadAgent = Query({ agent_id: Optional(DefaultAgent) })

export const ForkConversation = Query({
  agent_id: Optional(DefaultAgent),
  message_id: Optional({
    ...Id('message'),
    description: 'The last message of the fork, with the returns of its calls. Default: the newest.',
  }),
})

export const ListConversationMessages = Query({
  ...Page('message'),
  agent_id: Optional(DefaultAgent),
  group_id: Optional(Id('group')),
  include_return_message_types: Optional(FilterList(OneOf(MESSAGE_TYPES))),
  include_err: Optional(Type.Boolean({ description: 'Deprecated: ignored.' })),
})
export type ListConversationMessages = Static<typeof ListConversationMessages>

/** Reads the events of a run again; without `run_id` and `otid`, of the newest run that is not over. */
export const ResumeConversation = OrNull(
  Strict({
    ...resumeFields,
    agent_id: Optional(DefaultAgent),
    run_id: Optional(Id('run')),
    otid: Optional(Name({ description: 'The id that the caller gave to a message of the run.' })),
  }),
)

/** The agent of the conversation `default`, in a body. */
export const RecompileConversation = OrNull(Create({ agent_id: DefaultAgent }))

export const CompactConversation = OrNull(
  Create({ agent_id: DefaultAgent, compaction_settings: Ref(CompactionSettings) }),
)
