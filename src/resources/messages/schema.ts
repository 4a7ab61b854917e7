import { type Static, type TProperties, Type } from 'typebox'
import {
  Closed,
  FilterList,
  Id,
  Instant,
  Int,
  JsonMap,
  Name,
  OneOf,
  Page,
  Query,
  Ref,
  Shape,
  Strict,
} from '../../lib/wire.ts'

const { Optional } = Type

/** The kinds of messages that lists and streams hold. */
export const MESSAGE_TYPES = [
  'system_message',
  'user_message',
  'assistant_message',
  'reasoning_message',
  'hidden_reasoning_message',
  'tool_call_message',
  'tool_return_message',
  'approval_request_message',
  'approval_response_message',
  'summary_message',
  'event_message',
] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

const common = {
  id: Type.String(),
  date: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}', title: 'an ISO 8601 time' }),
  name: Optional(Type.String()),
  otid: Optional(Type.String({ description: 'The id that the caller gave, or one made of the id and the part.' })),
  sender_id: Optional(Type.String()),
  step_id: Optional(Type.String()),
  is_err: Optional(Type.Boolean()),
  seq_id: Optional(Type.Integer({ description: 'The number of the event in a background stream.' })),
  run_id: Optional(Type.String()),
}

const ToolCall = Strict({ arguments: Type.String(), name: Type.String(), tool_call_id: Type.String() })
const ToolCallDelta = Strict({
  arguments: Optional(Type.String()),
  name: Optional(Type.String()),
  tool_call_id: Optional(Type.String()),
})
const calls = {
  tool_call: Optional(ToolCallDelta),
  tool_calls: Optional(Type.Union([Type.Array(ToolCall), ToolCallDelta])),
}

const request = { ...common, ...calls, message_type: Optional(Type.Literal('approval_request_message')) }

/** A model's request for approval to run a tool. */
export const ApprovalRequestMessage = Strict(request, { $id: 'ApprovalRequestMessage' })
export type ApprovalRequestMessage = Static<typeof ApprovalRequestMessage>

/** A request for approval, as the agent that waits for it shows it. */
export const PendingRequestMessage = Strict(
  { ...request, expires_at: Optional(Instant({ description: 'From this instant on the request is denied.' })) },
  { $id: 'PendingRequestMessage' },
)

/** Parts of contents. Those of other types are as they were stored. */
const TextPart = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  signature: Optional(Type.String()),
})
const ImagePart = Type.Object({ type: Type.Literal('image'), source: JsonMap() })
const Content = Type.Union([Type.String(), Type.Array(Type.Union([TextPart, ImagePart, JsonMap()]))])
const Lines = Type.Array(Type.String())

const ToolReturn = Type.Object(
  {
    type: Optional(Type.Literal('tool')),
    tool_return: Content,
    status: OneOf(['success', 'error']),
    tool_call_id: Type.String(),
    stdout: Optional(Lines),
    stderr: Optional(Lines),
  },
  { additionalProperties: false },
)

const Decision = Type.Object({
  type: Type.Literal('approval'),
  tool_call_id: Type.String(),
  approve: Type.Boolean(),
  reason: Optional(Type.String()),
})

const kind = <Name extends string, P extends TProperties>($id: string, message_type: Name, fields: P) =>
  Type.Object({ ...common, message_type: Type.Literal(message_type), ...fields }, { $id, additionalProperties: false })

export const SystemMessage = kind('SystemMessage', 'system_message', { content: Type.String() })
export const UserMessage = kind('UserMessage', 'user_message', { content: Content })
export const AssistantMessage = kind('AssistantMessage', 'assistant_message', { content: Content })
export const ReasoningMessage = kind('ReasoningMessage', 'reasoning_message', {
  source: OneOf(['reasoner_model', 'non_reasoner_model']),
  reasoning: Type.String(),
  signature: Optional(Type.String()),
})
export const HiddenReasoningMessage = kind('HiddenReasoningMessage', 'hidden_reasoning_message', {
  state: OneOf(['redacted', 'omitted']),
  hidden_reasoning: Optional(Type.String()),
})
export const ToolCallMessage = kind('ToolCallMessage', 'tool_call_message', calls)
export const ToolReturnMessage = kind('ToolReturnMessage', 'tool_return_message', {
  tool_return: Type.String({ description: 'Deprecated: use tool_returns.' }),
  status: OneOf(['success', 'error']),
  tool_call_id: Type.String(),
  stdout: Optional(Lines),
  stderr: Optional(Lines),
  tool_returns: Optional(Type.Array(ToolReturn)),
})
export const ApprovalResponseMessage = kind('ApprovalResponseMessage', 'approval_response_message', {
  approvals: Optional(Type.Array(Type.Union([Decision, ToolReturn, JsonMap()]))),
  approve: Optional(Type.Boolean()),
  approval_request_id: Optional(Type.String()),
  reason: Optional(Type.String()),
})
export const SummaryMessage = kind('SummaryMessage', 'summary_message', {
  summary: Type.String(),
  compaction_stats: Optional(JsonMap()),
})
export const EventMessage = kind('EventMessage', 'event_message', {
  event_type: Type.Literal('compaction'),
  event_data: JsonMap(),
})

const shapes = [
  SystemMessage,
  UserMessage,
  AssistantMessage,
  ReasoningMessage,
  HiddenReasoningMessage,
  ToolCallMessage,
  ToolReturnMessage,
  ApprovalRequestMessage,
  ApprovalResponseMessage,
  SummaryMessage,
  EventMessage,
] as const

/** A message as lists and blocking sends have it. */
export const Message = Type.Unsafe<{ id: string; message_type: MessageType; [field: string]: unknown }>({
  $id: 'Message',
  anyOf: shapes.map((shape) => Ref(shape)),
})
export type Message = Static<typeof Message>

export const ListAllMessages = Query({
  ...Page('message'),
  conversation_id: Optional(Name({ description: 'Messages of this conversation.' })),
  include_return_message_types: Optional(FilterList(OneOf(MESSAGE_TYPES))),
})
export type ListAllMessages = Static<typeof ListAllMessages>

export const StopReason = OneOf([
  'end_turn',
  'error',
  'llm_api_error',
  'invalid_llm_response',
  'invalid_tool_call',
  'max_steps',
  'max_tokens_exceeded',
  'no_tool_call',
  'tool_rule',
  'cancelled',
  'insufficient_credits',
  'requires_approval',
  'context_window_overflow_in_system_prompt',
])
export type StopReason = Static<typeof StopReason>

export const StopReasonEvent = Type.Object(
  { message_type: Type.Literal('stop_reason'), stop_reason: StopReason },
  { $id: 'StopReasonEvent', additionalProperties: false },
)

export const UsageStatistics = Type.Object(
  {
    message_type: Type.Literal('usage_statistics'),
    completion_tokens: Int(),
    prompt_tokens: Int(),
    total_tokens: Int(),
    step_count: Int(),
    run_ids: Optional(Type.Array(Type.String(), { description: 'Runs of background agents that this run has begun.' })),
    cached_input_tokens: Optional(Int()),
    cache_write_tokens: Optional(Int()),
    reasoning_tokens: Optional(Int()),
    context_tokens: Optional(Int({ description: 'An estimate of the tokens in context after the last step.' })),
  },
  { $id: 'UsageStatistics', additionalProperties: false },
)
export type UsageStatistics = Static<typeof UsageStatistics>

const Ping = kind('Ping', 'ping', {})

const ErrorMessage = Type.Object(
  {
    message_type: Type.Literal('error_message'),
    run_id: Type.String(),
    error_type: Type.String(),
    message: Type.String(),
    detail: Optional(Type.String()),
    seq_id: Optional(Type.Integer()),
  },
  { $id: 'ErrorMessage', additionalProperties: false },
)

/** An event of a stream. */
export const StreamEvent = Type.Unsafe<{ message_type: string; [field: string]: unknown }>({
  $id: 'StreamEvent',
  anyOf: [...shapes, StopReasonEvent, UsageStatistics, Ping, ErrorMessage].map((shape) => Ref(shape)),
})
export type StreamEvent = Static<typeof StreamEvent>

/** The response of a blocking send. */
export const SendResponse = Type.Object(
  {
    messages: Type.Array(Ref(Message)),
    stop_reason: Ref(StopReasonEvent),
    usage: Ref(UsageStatistics),
    logprobs: Optional(JsonMap()),
    turns: Optional(Type.Array(JsonMap())),
  },
  { $id: 'SendResponse', additionalProperties: false },
)
export type SendResponse = Static<typeof SendResponse>

const place = {
  message_id: Id('message'),
  agent_id: Optional(Id('agent')),
  conversation_id: Optional(Type.String()),
  created_at: Instant(),
}
const foundContent = Type.Union([Type.String(), Type.Array(JsonMap())])

/** A part of a message that a list or a search of all agents finds, by its type. */
export const foundShapes = [
  Shape('FoundSystemMessage', { message_type: Type.Literal('system_message'), content: Type.String(), ...place }),
  Shape('FoundUserMessage', { message_type: Type.Literal('user_message'), content: foundContent, ...place }),
  Shape('FoundReasoningMessage', {
    message_type: Type.Literal('reasoning_message'),
    reasoning: Type.String(),
    ...place,
  }),
  Shape('FoundAssistantMessage', { message_type: Type.Literal('assistant_message'), content: foundContent, ...place }),
] as const

export const FoundMessage = Type.Unsafe<Static<(typeof foundShapes)[number]>>({ anyOf: foundShapes.map(Ref) })
export type FoundMessage = Static<typeof FoundMessage>

/** The named shapes of messages: components of the OpenAPI document. */
export const messageShapes = [
  ...shapes,
  PendingRequestMessage,
  Message,
  StopReasonEvent,
  UsageStatistics,
  Ping,
  ErrorMessage,
  StreamEvent,
  SendResponse,
  ...foundShapes,
]

/** A message as the server stores it. */
export const InternalMessage = Closed({
  id: Id('message'),
  agent_id: Id('agent'),
  conversation_id: Optional(Type.String()),
  role: Type.String(),
  content: Type.Array(JsonMap()),
  name: Optional(Type.String()),
  model: Optional(Type.String()),
  otid: Optional(Type.String()),
  sender_id: Optional(Type.String()),
  group_id: Optional(Type.String()),
  step_id: Optional(Type.String()),
  run_id: Optional(Type.String()),
  tool_calls: Optional(Type.Array(JsonMap())),
  tool_call_id: Optional(Type.String()),
  tool_returns: Optional(Type.Array(JsonMap())),
  created_at: Instant(),
})

export type InternalMessage = Static<typeof InternalMessage>
