import { SpanKind } from '@opentelemetry/api'
import type { ModelOutput } from '../llm/model-output.ts'
import { ATTRIBUTES, OPERATIONS } from './names.ts'
import { fail, type Telemetry } from './telemetry.ts'

/** The model that is called. */
interface Called {
  provider: string
  modelId: string
}

/** Passes on the pieces of a model's answer, and reports the call: its time, its tokens, how it ended. */
export async function* observeModelCall<Delta>(
  telemetry: Telemetry,
  { provider, modelId }: Called,
  pieces: AsyncGenerator<Delta, ModelOutput>,
): AsyncGenerator<Delta, ModelOutput> {
  const attributes = {
    [ATTRIBUTES.operation]: OPERATIONS.chat,
    [ATTRIBUTES.provider]: provider,
    [ATTRIBUTES.model]: modelId,
  }
  const span = telemetry.begin(`${OPERATIONS.chat} ${modelId}`, SpanKind.CLIENT, attributes)
  const startedAt = performance.now()
  let error: unknown
  try {
    const output = yield* pieces
    const { usage, finish } = output
    const tokens = { input: usage?.inputTokens.total, output: usage?.outputTokens.total }
    for (const [type, count] of Object.entries(tokens)) {
      if (count !== undefined) telemetry.tokens.record(count, { ...attributes, [ATTRIBUTES.tokenType]: type })
    }
    span?.setAttributes({
      [ATTRIBUTES.inputTokens]: tokens.input ?? 0,
      [ATTRIBUTES.outputTokens]: tokens.output ?? 0,
      [ATTRIBUTES.finishReasons]: [finish],
    })
    return output
  } catch (thrown) {
    error = thrown
    fail(span, thrown)
    throw thrown
  } finally {
    const type = error === undefined ? {} : { [ATTRIBUTES.errorType]: (error as { type?: string }).type ?? 'error' }
    telemetry.modelCallDuration.record((performance.now() - startedAt) / 1000, { ...attributes, ...type })
    span?.end()
  }
}
