import type { LanguageModelV4 } from '@ai-sdk/provider'

/** The data on an answer's tokens that a caller asks for. */
export interface TokenData {
  logprobs: boolean
  /** The number of likely tokens at each place, with their probabilities. */
  top?: number | undefined
  /** The ids of the tokens. */
  ids: boolean
}

/** APIs with probabilities of tokens: OpenAI's chat completions, and those of providers that follow it. */
const WITH_LOGPROBS =
  /^(openai|azure-openai|deepseek|moonshotai|togetherai|fireworks|cerebras|openrouter|compatible)\.chat/

/** The fields of a request that no API of the model's provider serves. */
export const unserved = ({ provider }: Pick<LanguageModelV4, 'provider'>, { logprobs, ids }: TokenData) => [
  ...(logprobs && !WITH_LOGPROBS.test(provider) ? ['return_logprobs'] : []),
  ...(ids && !provider.startsWith('compatible.') ? ['return_token_ids'] : []),
]

/** The options that ask for the data, by the names of the packages. */
export function tokenOptions({ logprobs, top, ids }: TokenData): Record<string, Record<string, unknown>> {
  const named = logprobs ? { logprobs: true, topLogprobs: top } : {}
  const fields = logprobs ? { logprobs: true, top_logprobs: top } : {}
  return {
    openai: logprobs ? { logprobs: top ?? true } : {},
    deepseek: named,
    moonshotai: named,
    cerebras: named,
    fireworks: fields,
    openrouter: fields,
    // Together's number of likely tokens has the name of the switch.
    togetherai: logprobs ? { logprobs: top || 1 } : {},
    compatible: { ...fields, ...(ids && { return_token_ids: true }) },
  }
}

/** A chunk of a stream of chat completions, with data on its tokens. */
interface Chunk {
  choices?: { logprobs?: { content?: object[] | null } | null; token_ids?: number[] | null }[] | null
}

/** The data on the tokens of an answer. */
export interface Tokens {
  logprobs: object[]
  ids: number[]
}

/** Adds the data of a provider's chunk. */
export function addTokens(tokens: Tokens, chunk: unknown): void {
  const [choice] = (chunk as Chunk | null)?.choices ?? []
  tokens.logprobs.push(...(choice?.logprobs?.content ?? []))
  tokens.ids.push(...(choice?.token_ids ?? []))
}

/** The tokens of a run's answers: the probabilities of the last one, and a turn for each answer and each return of a tool. */
export interface TokenTurns {
  logprobs: object[]
  turns: Record<string, unknown>[]
}
