import type { LanguageModelV4FinishReason, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Tokens } from './token-data.ts'

/** A piece of a model's answer, while it comes in. */
export type ModelDelta =
  | { type: 'text' | 'reasoning'; delta: string }
  | { type: 'call'; id: string; name: string }
  | { type: 'arguments'; id: string; delta: string }

/** A part of a model's answer, with the provider's metadata as it came: it must go back to the same model unchanged. */
export type ModelPart =
  | { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata | undefined }
  | {
      type: 'tool-call'
      toolCallId: string
      toolName: string
      /** The arguments as the model wrote them: maybe not JSON. */
      input: string
      providerOptions?: SharedV4ProviderMetadata | undefined
    }

/** A model's whole answer. */
export interface ModelOutput {
  parts: ModelPart[]
  finish: LanguageModelV4FinishReason['unified']
  usage: LanguageModelV4Usage | undefined
  /** The price in US dollars, where the provider reports it. */
  cost?: number | undefined
  /** Probabilities and ids of the tokens: empty unless the call asks for them. */
  tokens: Tokens
  /** The body that went to the provider. */
  request: unknown
}
