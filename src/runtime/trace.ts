import { newId } from '../lib/ids.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { priceOf } from '../llm/prices.ts'
import { callsIn, contentIn, storedCall } from './calls.ts'
import type { StepEnd, Turn } from './turn.ts'
import { stepUsage } from './usage.ts'

const nanoseconds = (ms: number) => Math.round(ms * 1e6)

/** The row of a finished step. `times` are in milliseconds. */
export function stepColumns(
  { run, config, agent, telemetry }: Pick<Turn, 'run' | 'config' | 'agent' | 'telemetry'>,
  id: string,
  { usage, cost }: ModelOutput,
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

/** The request of a step as the provider got it, and its response in the form of a chat completion. */
export function traceColumns(
  { run, config, scope }: Pick<Turn, 'run' | 'config' | 'scope'>,
  stepId: string,
  output: ModelOutput,
  call_type: 'agent_step' | 'summarization' = 'agent_step',
) {
  const calls = callsIn(output).map((call) => storedCall(call, true))
  const content = contentIn(output)
    .map(({ text }) => text ?? '')
    .join('')
  return {
    id: newId('provider_trace'),
    step_id: stepId,
    run_id: run.id || null,
    agent_id: run.agentId,
    call_type,
    request_json: output.request ?? null,
    response_json: {
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
    },
    llm_config: config,
    created_at: new Date().toISOString(),
    created_by_id: scope.userId,
  }
}
