import { newId } from '../lib/ids.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { priceOf } from '../llm/prices.ts'
import { callsIn, contentIn, storedCall } from './calls.ts'
import type { StepEnd, Turn } from './turn.ts'
import { stepUsage } from './usage.ts'

const nanoseconds = (ms: number) => Math.round(ms * 1e6)

/** The row of a step that has succeeded. `times` are in milliseconds. */
export function stepColumns(
  { run, config, agent, telemetry }: Pick<Turn, 'run' | 'config' | 'agent' | 'telemetry'>,
  id: string,
  { usage, cost }: Pick<ModelOutput, 'usage' | 'cost'>,
  times: { milliseconds: number; total: number },
  stopReason: StepEnd,
) {
  const now = new Date().toISOString()
  return {
    id,
    version: 1,
    run_id: run.id || null,
    agent_id: run.agentId,
    status: 'success',
    phase: 'done',
    answer: null,
    provider_name: config.provider_name ?? config.model_endpoint_type,
    provider_category: config.provider_category ?? 'base',
    model: config.model,
    model_handle: config.handle ?? null,
    model_endpoint: config.model_endpoint ?? null,
    context_window_limit: config.context_window,
    ...stepUsage(usage),
    cost: cost ?? priceOf(config, usage) ?? null,
    stop_reason: stopReason ?? null,
    error_type: null,
    error_data: null,
    tags: [],
    trace_id: telemetry.traceId() ?? null,
    project_id: agent.row.project_id,
    llm_request_ns: nanoseconds(times.milliseconds),
    tool_execution_ns: nanoseconds(times.total - times.milliseconds),
    step_ns: nanoseconds(times.total),
    started_at: new Date(Date.parse(now) - times.total).toISOString(),
    created_at: now,
    updated_at: now,
  }
}

/** A call of a model, for its trace. */
type Traced = Pick<Turn, 'run' | 'config' | 'scope' | 'secrets'>

/** Shorter values of secrets are words of every request. */
const MIN_SECRET = 6

/** A value in which the texts have no secrets. */
function blanked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), value)
  if (Array.isArray(value)) return value.map((item) => blanked(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, blanked(item, secrets)]))
}

/** The row of a trace. The values of the agent's secrets are blanked. */
export function traceRow(
  { run, config, scope, secrets }: Traced,
  stepId: string,
  { request, response, callType }: { request: unknown; response: object; callType: 'agent_step' | 'summarization' },
) {
  // The longest first: one secret may begin with another.
  const hidden = secrets.filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length)
  const shown = <T>(value: T) => (hidden.length > 0 ? blanked(value, hidden) : value)
  return {
    id: newId('provider_trace'),
    step_id: stepId,
    run_id: run.id || null,
    agent_id: run.agentId,
    call_type: callType,
    request_json: shown(request ?? null),
    response_json: shown(response),
    llm_config: config,
    created_at: new Date().toISOString(),
    created_by_id: scope.userId,
  }
}

/** A model's answer in the form of a chat completion. */
export function chatCompletion({ config }: Pick<Turn, 'config'>, output: ModelOutput) {
  const calls = callsIn(output).map((call) => storedCall(call, true))
  const content = contentIn(output)
    .map(({ text }) => text ?? '')
    .join('')
  return {
    object: 'chat.completion',
    model: config.model,
    choices: [
      {
        index: 0,
        finish_reason: output.finish,
        message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
      },
    ],
    ...(output.usage && { usage: output.usage }),
  }
}

/** The request of a step as the provider got it, and its response in the form of a chat completion. */
export const traceColumns = (
  turn: Traced,
  stepId: string,
  output: ModelOutput,
  callType: 'agent_step' | 'summarization' = 'agent_step',
) => traceRow(turn, stepId, { request: output.request, response: chatCompletion(turn, output), callType })
