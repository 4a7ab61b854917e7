import { SpanKind } from '@opentelemetry/api'
import { ATTRIBUTES, OPERATIONS } from './names.ts'
import { fail, type Telemetry } from './telemetry.ts'

interface Run {
  id: string
  agentId: string
  conversationId?: string | undefined
}

interface Outcome {
  stopReason: string
  usage: { step_count: number }
  failure?: { type: string }
}

/** Carries out a run, and reports its span, its steps and how it ended. An outcome of undefined is no end. */
export const observeRun = <O extends Outcome>(
  telemetry: Telemetry,
  { id, agentId, conversationId }: Run,
  work: () => Promise<O | undefined>,
): Promise<O | undefined> => {
  const attributes = {
    [ATTRIBUTES.operation]: OPERATIONS.run,
    [ATTRIBUTES.agentId]: agentId,
    [ATTRIBUTES.runId]: id,
    ...(conversationId && { [ATTRIBUTES.conversationId]: conversationId }),
  }
  return telemetry.span(OPERATIONS.run, SpanKind.INTERNAL, attributes, async (span) => {
    const outcome = await work()
    if (!outcome) return undefined
    const { stopReason, usage, failure } = outcome
    const end = {
      [ATTRIBUTES.runStatus]: failure ? 'failed' : stopReason === 'cancelled' ? 'cancelled' : 'completed',
      [ATTRIBUTES.stopReason]: stopReason,
    }
    telemetry.runsEnded.add(1, end)
    telemetry.steps.add(usage.step_count)
    span?.setAttributes(end)
    if (failure) fail(span, failure)
    return outcome
  })
}

/** Runs a tool within a span. A return that reports an error is the span's error. */
export const observeTool = <R extends { status: string }>(
  telemetry: Telemetry,
  { id, name }: { id: string; name: string },
  work: () => Promise<R>,
): Promise<R> => {
  const attributes = {
    [ATTRIBUTES.operation]: OPERATIONS.tool,
    [ATTRIBUTES.toolName]: name,
    [ATTRIBUTES.toolCallId]: id,
  }
  return telemetry.span(`${OPERATIONS.tool} ${name}`, SpanKind.INTERNAL, attributes, async (span) => {
    const result = await work()
    if (result.status === 'error') fail(span, { type: 'tool_error' })
    return result
  })
}
