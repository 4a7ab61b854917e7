import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Fetch } from '../lib/egress.ts'

/** A model whose calls have other options. */
export const withOptions = (
  model: LanguageModelV4,
  change: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions,
): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(change(options)),
  doStream: (options) => model.doStream(change(options)),
})

/** The body of a request to a model. */
export type Body = { messages?: Message[]; [field: string]: unknown }
type Message = { role: string; tool_calls?: unknown[]; [field: string]: unknown }

/** `fetch` that sends other JSON. */
export const withBody =
  (fetch: Fetch, change: (body: Body) => Body): Fetch =>
  (input, init) =>
    typeof init?.body === 'string'
      ? fetch(input, { ...init, body: JSON.stringify(change(JSON.parse(init.body))) })
      : fetch(input, init)
