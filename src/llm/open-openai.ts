import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { withOptions } from './adapt.ts'
import { keyed } from './open-compatible.ts'

/** The models of OpenAI that think before they answer: their thoughts come through the Responses API alone. */
const REASONS = /^(o\d|gpt-([5-9]|\d\d)(?!.*chat))/

/** A model whose responses OpenAI doesn't keep: their reasoning comes back encrypted, so that no history ever expires. */
const unstored = (model: LanguageModelV4) =>
  withOptions(model, ({ providerOptions, tools, ...options }) => ({
    ...options,
    // Tools without `strict` would be strict here.
    ...(tools && { tools: tools.map((tool) => (tool.type === 'function' ? { strict: false, ...tool } : tool)) }),
    providerOptions: { ...providerOptions, openai: { ...providerOptions?.openai, store: false } },
  }))

/** Models of OpenAI: those that reason by Responses, others by chat completions. */
export const openAi = keyed(async ({ url, apiKey, fetch }, model) => {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const openai = createOpenAI({ baseURL: url, apiKey, fetch })
  if (REASONS.test(model)) return unstored(openai.responses(model))
  // Other models refuse a request that says how hard to think.
  return withOptions(openai.chat(model), ({ reasoning: _, ...options }) => options)
})

/** The account of a token of ChatGPT, which its requests name. */
function accountOf(token: string): string {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return claims['https://api.openai.com/auth']?.chatgpt_account_id ?? ''
  } catch {
    return ''
  }
}

/** The system prompt as instructions: without them ChatGPT refuses a request, and with a limit of tokens too. */
function instructed({
  prompt,
  maxOutputTokens: _,
  ...options
}: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const instructions = prompt.flatMap((message) => (message.role === 'system' ? message.content : [])).join('\n\n')
  const { providerOptions } = options
  return {
    ...options,
    prompt: prompt.filter(({ role }) => role !== 'system'),
    providerOptions: { ...providerOptions, openai: { ...providerOptions?.openai, instructions } },
  }
}

/** Models of a ChatGPT subscription: the key is its OAuth access token. */
export const chatGpt = keyed(async ({ url, apiKey, fetch }, model) => {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const account = accountOf(apiKey)
  const headers = { 'openai-beta': 'responses=experimental', ...(account && { 'chatgpt-account-id': account }) }
  const openai = createOpenAI({ baseURL: url, apiKey, fetch, headers })
  return withOptions(unstored(openai.responses(model)), instructed)
})
