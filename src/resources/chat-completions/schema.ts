import { type Static, Type } from 'typebox'
import { TOOL_NAME } from '../../lib/tool-name.ts'
import { Closed, Id, Int, JsonMap, List, OneOf, Params, Query, Ref, Strict, Text } from '../../lib/wire.ts'
import { Handle } from '../models/schema.ts'

const { Optional } = Type

const Call = Strict({
  id: Type.String(),
  type: Optional(Type.Literal('function')),
  function: Strict({ name: Type.String(), arguments: Text() }),
})

const ChatMessage = Strict({
  role: OneOf(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
  content: Optional(Type.Union([Text(), List(JsonMap())])),
  name: Optional(Type.String()),
  tool_calls: Optional(List(Call)),
  tool_call_id: Optional(Type.String()),
  refusal: Optional(Type.String()),
  reasoning_content: Optional(Text()),
  annotations: Optional(List(JsonMap())),
  audio: Optional(JsonMap()),
  function_call: Optional(JsonMap()),
  parsed: Optional(Type.Unknown()),
})
export type ChatMessage = Static<typeof ChatMessage>

const Tool = Strict({
  type: Type.Literal('function'),
  function: Strict({
    name: Type.String({ pattern: TOOL_NAME }),
    description: Optional(Text()),
    parameters: Optional(JsonMap()),
    strict: Optional(Type.Boolean()),
  }),
})

/** Fields of OpenAI's request that an agent's own settings decide. */
const IGNORED = [
  ...[
    'frequency_penalty',
    'function_call',
    'functions',
    'logit_bias',
    'logprobs',
    'max_completion_tokens',
    'max_tokens',
  ],
  ...['metadata', 'modalities', 'parallel_tool_calls', 'prediction', 'presence_penalty', 'prompt_cache_key'],
  ...[
    'prompt_cache_retention',
    'reasoning_effort',
    'response_format',
    'safety_identifier',
    'seed',
    'service_tier',
    'stop',
  ],
  ...['store', 'temperature', 'top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options'],
] as const

const ignored = Optional(Type.Unknown({ description: 'Not used: the settings of the agent decide.' }))

export const ChatCompletionRequest = Strict(
  {
    model: { ...Id('agent'), description: 'The agent.' },
    messages: List(ChatMessage, {
      minItems: 1,
      description: 'The history. The agent gets the messages behind the last answer that it knows.',
    }),
    stream: Optional(Type.Boolean()),
    stream_options: Optional(
      Strict({ include_usage: Optional(Type.Boolean()), include_obfuscation: Optional(Type.Boolean()) }),
    ),
    n: Optional(Int({ minimum: 1, maximum: 1 })),
    tools: Optional(List(Tool, { description: 'Tools that the caller runs, besides those of the agent.' })),
    tool_choice: Optional(Type.Unknown({ description: '`none` leaves out `tools`; the agent decides otherwise.' })),
    override_model: Optional({ ...Handle, description: 'The language model of this request alone.' }),
    ...(Object.fromEntries(IGNORED.map((name) => [name, ignored])) as Record<(typeof IGNORED)[number], typeof ignored>),
  },
  { $id: 'ChatCompletionRequest' },
)
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>

export const FINISH_REASONS = ['stop', 'length', 'tool_calls'] as const

const Usage = Closed({
  prompt_tokens: Int(),
  completion_tokens: Int(),
  total_tokens: Int(),
  prompt_tokens_details: Optional(Closed({ cached_tokens: Int() })),
  completion_tokens_details: Optional(Closed({ reasoning_tokens: Int() })),
})
export type Usage = Static<typeof Usage>

const head = <T extends string>(object: T) => ({
  id: Type.String(),
  object: Type.Literal(object),
  created: Int({ description: 'Seconds since 1970.' }),
  model: Type.String({ description: "The name of the agent's language model." }),
  service_tier: Optional(Type.String()),
  system_fingerprint: Optional(Type.String()),
})

const Answer = Closed({
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Null()]),
  refusal: Type.Null(),
  reasoning_content: Optional(Type.String()),
  tool_calls: Optional(
    Type.Array(
      Closed({
        id: Type.String(),
        type: Type.Literal('function'),
        function: Closed({ name: Type.String(), arguments: Type.String() }),
      }),
    ),
  ),
})

export const ChatCompletion = Type.Object(
  {
    ...head('chat.completion'),
    choices: Type.Array(
      Closed({ index: Int(), message: Answer, logprobs: Type.Null(), finish_reason: OneOf(FINISH_REASONS) }),
    ),
    usage: Usage,
  },
  { $id: 'ChatCompletion', additionalProperties: false },
)
export type ChatCompletion = Static<typeof ChatCompletion>

const Delta = Closed({
  role: Optional(OneOf(['assistant'])),
  content: Optional(Type.String()),
  reasoning_content: Optional(Type.String()),
  refusal: Optional(Type.String()),
  function_call: Optional(JsonMap()),
  tool_calls: Optional(
    Type.Array(
      Closed({
        index: Int(),
        id: Optional(Type.String()),
        type: Optional(OneOf(['function'])),
        function: Closed({ name: Optional(Type.String()), arguments: Optional(Type.String()) }),
      }),
    ),
  ),
})
export type Delta = Static<typeof Delta>

const Chunk = Type.Object(
  {
    ...head('chat.completion.chunk'),
    choices: Type.Array(
      Closed({
        index: Int(),
        delta: Delta,
        logprobs: Optional(JsonMap()),
        finish_reason: Type.Union([OneOf(FINISH_REASONS), Type.Null()]),
      }),
    ),
    usage: Optional(Usage),
  },
  { $id: 'ChatCompletionChunk', additionalProperties: false },
)
export type Chunk = Static<typeof Chunk>

const ChatError = Type.Object(
  { error: Closed({ message: Type.String(), type: Type.String(), code: Type.String(), param: Type.Null() }) },
  { $id: 'ChatCompletionError', additionalProperties: false },
)

/** An event of a stream: a chunk of the answer, or the error that ends it. */
export const ChatEvent = Type.Union([Ref(Chunk), Ref(ChatError)])
export type ChatEvent = Chunk | Static<typeof ChatError>

/** An agent, as clients of OpenAI list models. */
export const ChatModel = Closed({
  id: Id('agent'),
  object: Type.Literal('model'),
  created: Int({ description: 'Seconds since 1970.' }),
  owned_by: Type.String({ description: 'The organization.' }),
  name: Type.String({ description: 'The name of the agent.' }),
})
export type ChatModel = Static<typeof ChatModel>

export const ChatModels = Closed({
  object: Type.Literal('list'),
  data: Type.Array(ChatModel),
  has_more: Type.Boolean({ description: 'Whether `after`, with the last id, would find more.' }),
})

export const ListChatModels = Query({
  limit: Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 200.' })),
  after: Optional({ ...Id('agent'), description: 'The agents that follow this one.' }),
})
export type ListChatModels = Static<typeof ListChatModels>

export const ChatModelParams = Params({ model: Id('agent') })

export const chatShapes = [ChatCompletionRequest, ChatCompletion, Chunk, ChatError]
