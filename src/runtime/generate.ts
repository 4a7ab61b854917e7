import type { Scope } from '../db/scope.ts'
import { callModel, type ModelCall } from '../llm/call-model.ts'
import { ModelError } from '../llm/model-error.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { priceOf } from '../llm/prices.ts'
import { callSettings } from '../llm/settings.ts'
import { agents } from '../resources/agents/schema.ts'
import type { UsageStatistics } from '../resources/messages/schema.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { observeModelCall } from '../telemetry/model-calls.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { withinBudget } from './budgets.ts'
import { upstreamFailure } from './failure.ts'
import { overriding } from './prepare.ts'
import { addUsage, noUsage, stepUsage } from './usage.ts'

/** The services through which a request calls models. */
export interface ModelServices {
  models: LanguageModels
  telemetry: Telemetry
}

/** One call of a model, without an agent's memory and tools. */
export interface Generate {
  prompt: string
  system_prompt?: string | null | undefined
  override_model?: string | null | undefined
  response_schema?: Record<string, unknown> | null | undefined
}

export interface Generated {
  content: string
  model: string
  usage: UsageStatistics
}

/** The tool whose arguments are an answer by a schema. */
const ANSWER = 'structured_output'

/** The answer in the form of a schema: the arguments of a call that the model must make. */
const bySchema = (inputSchema: Record<string, unknown>): Partial<ModelCall> => ({
  tools: [{ type: 'function', name: ANSWER, description: 'Gives the answer in this form.', inputSchema }],
  toolChoice: { type: 'tool', toolName: ANSWER },
  responseFormat: { type: 'text' },
})

function contentOf({ parts }: ModelOutput, isBySchema: boolean): string {
  if (!isBySchema) return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
  const call = parts.find((part) => part.type === 'tool-call')
  if (!call) throw upstreamFailure(new ModelError('llm_empty_response', 'The model did not answer by the schema.'))
  return call.input
}

/** The answer at the end of its pieces. 502 when the call fails. */
async function wholeOutput(pieces: AsyncGenerator<unknown, ModelOutput>): Promise<ModelOutput> {
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) return value
    }
  } catch (error) {
    throw upstreamFailure(error)
  }
}

/**
 * Calls the agent's model once, or the model that the request names. Nothing is stored. 404 for an agent or a model that isn't
 * there, 502 when the call fails.
 */
export async function generate(
  scope: Scope,
  { models, telemetry }: ModelServices,
  agentId: string,
  { prompt, system_prompt, override_model, response_schema }: Generate,
  abortSignal: AbortSignal,
): Promise<Generated> {
  const { llm_config, model_settings } = await scope.get(agents, agentId)
  const config = override_model ? await overriding(scope, override_model) : llm_config!
  const settings = override_model ? {} : (model_settings ?? {})
  const model = await models.of(scope, config)
  const call: ModelCall = {
    ...callSettings(config, settings, false),
    ...(response_schema && bySchema(response_schema)),
    prompt: [
      ...(system_prompt ? [{ role: 'system' as const, content: system_prompt }] : []),
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    abortSignal,
  }
  return withinBudget(scope, { agentId }, async () => {
    const output = await wholeOutput(observeModelCall(telemetry, model, callModel(model, call)))
    const usage = addUsage(noUsage(), stepUsage(output.usage), false)
    const used = { tokens: usage.total_tokens, cost: output.cost ?? priceOf(config, output.usage) ?? 0 }
    return { result: { content: contentOf(output, response_schema != null), model: config.model, usage }, used }
  })
}
