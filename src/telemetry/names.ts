/**
 * The names of spans, metrics and attributes: those of the OpenTelemetry conventions (HTTP, database, generative AI), and our own
 * under `cairn`.
 */
export const SCOPE = 'cairn'

export const METRICS = {
  requestDuration: 'http.server.request.duration',
  modelCallDuration: 'gen_ai.client.operation.duration',
  tokens: 'gen_ai.client.token.usage',
  poolConnections: 'db.client.connection.count',
  poolPending: 'db.client.connection.pending_requests',
  runsActive: 'cairn.runs.active',
  runsEnded: 'cairn.runs.ended',
  steps: 'cairn.steps',
  streamReaders: 'cairn.stream.readers',
} as const

export const ATTRIBUTES = {
  method: 'http.request.method',
  route: 'http.route',
  httpStatus: 'http.response.status_code',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  tokenType: 'gen_ai.token.type',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  agentId: 'gen_ai.agent.id',
  conversationId: 'gen_ai.conversation.id',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  connectionState: 'db.client.connection.state',
  runId: 'cairn.run.id',
  runStatus: 'cairn.run.status',
  stopReason: 'cairn.run.stop_reason',
} as const

/** Values of `gen_ai.operation.name`. A span is called by the operation and its object. */
export const OPERATIONS = { chat: 'chat', run: 'invoke_agent', tool: 'execute_tool' } as const

/** Boundaries of histograms: seconds of requests and of models' answers, and tokens. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
export const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]
