import { type Static, Type } from 'typebox'
import { TOOL_NAME } from '../../lib/tool-name.ts'
import { Id, Int, JsonMap, List, MAX_JSON_LENGTH, Name, OneOf, OrNull, Ref, Strict, Text } from '../../lib/wire.ts'
import { Handle } from '../models/schema.ts'
import { MESSAGE_TYPES } from './schema.ts'

const { Optional } = Type

/** A part of a message: text, an image, or another. The limit of the body bounds the data of an image. */
const Part = JsonMap({ [MAX_JSON_LENGTH]: 64_000_000 })

const Content = Type.Union([Text(), List(Part)], {
  description: 'Text, or an array of content parts. Images by URL are read by the server, up to 5 MB each.',
})

const message = {
  type: Optional(Type.Literal('message')),
  role: OneOf(['user', 'system', 'assistant']),
  content: Content,
  name: Optional(Type.String()),
  otid: Optional(
    Type.String({
      maxLength: 500,
      description: 'An id of the caller: a message with a known one is the same message.',
    }),
  ),
  sender_id: Optional(Type.String()),
}

/** A message an agent begins with. */
export const MessageCreate = Strict(message)
export type MessageCreate = Static<typeof MessageCreate>

/** A message of the caller to an agent. */
const SentMessage = Strict({ ...message, batch_item_id: Optional(Type.String()), group_id: Optional(Id('group')) })
export type SentMessage = Static<typeof SentMessage>

const ToolReturn = Strict({
  type: Optional(Type.Literal('tool')),
  tool_call_id: Type.String(),
  tool_return: Content,
  status: OneOf(['success', 'error']),
  stdout: Optional(List(Type.String())),
  stderr: Optional(List(Type.String())),
})

const Decision = Strict({
  type: Optional(Type.Literal('approval')),
  tool_call_id: Type.String(),
  approve: Type.Boolean(),
  reason: Optional(Type.String()),
})

/** An answer to a request for approval. */
export const ApprovalCreate = Strict({
  type: Optional(Type.Literal('approval')),
  approvals: Optional(List(Type.Union([Decision, ToolReturn]))),
  approve: Optional(Type.Boolean({ description: 'Deprecated: use approvals.' })),
  approval_request_id: Optional(Type.String({ description: 'Deprecated: use approvals.' })),
  reason: Optional(Type.String({ description: 'Deprecated: use approvals.' })),
  otid: Optional(Type.String({ maxLength: 500 })),
  group_id: Optional(Id('group')),
})

/** Returns of tools that the caller has run. */
export const ToolReturnCreate = Strict({
  type: Type.Literal('tool_return'),
  tool_returns: List(ToolReturn),
  otid: Optional(Type.String({ maxLength: 500 })),
  group_id: Optional(Id('group')),
})

const Input = Type.Union([SentMessage, ApprovalCreate, ToolReturnCreate])
export type Input = Static<typeof Input>
export type ToolReturn = Static<typeof ToolReturn>
export type Decision = Static<typeof Decision>

/** A tool that the caller runs. */
const ClientTool = Strict({
  name: Type.String({ pattern: TOOL_NAME }),
  description: Optional(Type.String()),
  parameters: Optional(JsonMap()),
})

const ClientSkill = Strict({ name: Type.String(), description: Type.String(), location: Type.String() })

const fields = {
  messages: Optional(List(Input, { description: 'Either this or `input`.' })),
  input: Optional(Type.Union([Text(), List(Part)], { description: 'One message of a user.' })),
  on_pending: Optional(
    OneOf(['deny'], {
      description:
        'Denies the calls that wait for an approval, and goes on. By default messages are a 409 while calls wait.',
    }),
  ),
  approval_expires_after: Optional(
    Int({
      minimum: 1,
      description: 'Calls of this run that wait for an approval are denied after so many seconds. Default: never.',
    }),
  ),
  max_steps: Optional(Int({ minimum: 1, maximum: 1000, description: 'Default 50.' })),
  use_assistant_message: Optional(Type.Boolean({ description: 'Deprecated. Default true.' })),
  assistant_message_tool_name: Optional(Name({ description: 'Deprecated.' })),
  assistant_message_tool_kwarg: Optional(Name({ description: 'Deprecated.' })),
  include_return_message_types: Optional(
    OrNull(List(OneOf(MESSAGE_TYPES), { description: 'Only messages of these types are returned.' })),
  ),
  enable_thinking: Optional(Type.Union([Type.Boolean(), Type.String()], { description: 'Deprecated: ignored.' })),
  client_tools: Optional(List(ClientTool, { description: 'Tools that the caller runs.' })),
  client_skills: Optional(List(ClientSkill)),
  override_model: Optional({ ...Handle, description: 'The model of this request alone.' }),
  override_system: Optional(Text({ description: 'The system prompt of this request alone.' })),
  include_compaction_messages: Optional(Type.Boolean()),
  return_logprobs: Optional(Type.Boolean()),
  top_logprobs: Optional(Int({ maximum: 20 })),
  return_token_ids: Optional(Type.Boolean()),
}

const streaming = {
  streaming: Optional(Type.Boolean({ description: 'Responds with a stream of events.' })),
  stream_tokens: Optional(Type.Boolean({ description: 'Streams tokens rather than whole messages. Needs streaming.' })),
  include_pings: Optional(Type.Boolean({ description: 'Default true.' })),
  background: Optional(Type.Boolean({ description: 'Numbers the events, so that the stream can be resumed.' })),
}

export const SendMessages = Strict({ ...fields, ...streaming }, { $id: 'SendMessages' })
export type SendMessages = Static<typeof SendMessages>

/** Messages to a conversation, which streams unless the body says otherwise. */
export const SendToConversation = Strict({
  ...fields,
  ...streaming,
  streaming: Optional(Type.Boolean({ description: 'Responds with a stream of events. Default true.' })),
  agent_id: Optional({ ...Id('agent'), description: 'The agent, with the conversation `default`.' }),
})

/** An address that gets a POST. */
export const CallbackUrl = Type.String({
  pattern: '^https?://[^\\s/?#]',
  title: 'an http or https address',
  maxLength: 2000,
  description: 'Gets a POST at the end.',
})

/** A request of a batch. */
export const BatchRequest = Strict({ ...fields, agent_id: Id('agent') })
export type BatchRequest = Static<typeof BatchRequest>

export const SendMessagesAsync = Strict({
  ...fields,
  callback_url: Optional(CallbackUrl),
})
export type SendMessagesAsync = Static<typeof SendMessagesAsync>

const groupFields = {
  max_total_tokens: Optional(
    Int({
      minimum: 1,
      description: 'No further turn begins once the members have used so many tokens. Default: no limit.',
    }),
  ),
}

/** Messages to a group. */
export const SendToGroup = Strict({ ...fields, ...streaming, ...groupFields }, { $id: 'SendToGroup' })
export type SendToGroup = Static<typeof SendToGroup>

export const SendToGroupAsync = Strict({ ...fields, ...groupFields, callback_url: Optional(CallbackUrl) })

/** The runs to cancel; without a body, all of the agent or the group. */
export const CancelRuns = OrNull(Strict({ run_ids: Optional(List(Id('run'))) }))

export const sendShapes = [SendMessages, SendToGroup]
export const SendBody = Ref(SendMessages)
