import type { LanguageModelV4 } from '@ai-sdk/provider'
import { inBody, invalid } from '../lib/errors.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { type TokenData, type TokenTurns, unserved } from '../llm/token-data.ts'
import { asText, unpackReturn } from '../resources/messages/packed.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import type { Call } from './calls.ts'
import type { RunRequest } from './request.ts'

/** The data on tokens that a request asks for; undefined for none. */
export const tokenDataOf = ({ return_logprobs, top_logprobs, return_token_ids }: RunRequest): TokenData | undefined =>
  return_logprobs || return_token_ids
    ? { logprobs: return_logprobs ?? false, top: top_logprobs ?? undefined, ids: return_token_ids ?? false }
    : undefined

/** 422 for data on tokens that the model's provider doesn't give. */
export function checkTokenData(model: LanguageModelV4, request: RunRequest): void {
  const data = tokenDataOf(request)
  const missing = data ? unserved(model, data) : []
  if (missing.length > 0) {
    throw invalid(...missing.map((field) => inBody(field, `is not given by the API of the model ${model.modelId}`)))
  }
}

/** Adds the tokens of a step: those of its answer, and the returns of its tools, in the rows that the step added. */
export function addTurns(
  tokens: TokenTurns,
  { output, now }: { output: ModelOutput; now: readonly Call[] },
  added: readonly StoredMessage[],
): void {
  const { logprobs, ids } = output.tokens
  const names = new Map(now.map(({ id, name }) => [id, name]))
  const probabilities = logprobs.map((one, n) => [(one as { logprob?: number }).logprob, ids[n] ?? null, null])
  tokens.logprobs = logprobs
  tokens.turns.push({
    role: 'assistant',
    ...(ids.length > 0 && { output_ids: ids }),
    ...(logprobs.length > 0 && { output_token_logprobs: probabilities }),
  })
  for (const stored of added.flatMap(({ tool_returns }) => tool_returns ?? [])) {
    const content = asText(unpackReturn(stored))
    tokens.turns.push({ role: 'tool', content, tool_name: names.get(stored.tool_call_id) })
  }
}
