import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { factsOf } from '../lib/provider-types.ts'

/** US dollars for a million tokens: sent, read from a cache, written to one, and received. */
type Price = readonly [input: number, cacheRead: number, cacheWrite: number, output: number]

/**
 * Prices of the providers' own APIs, from platform.claude.com/docs/about-claude/pricing and
 * developers.openai.com/api/docs/pricing, in November 2026. Models whose price depends on the length of the request are left out.
 */
const PRICES: Readonly<Record<string, Readonly<Record<string, Price>>>> = {
  anthropic: {
    'claude-opus-5-5': [4, 0.2, 5, 20],
    'claude-opus-5': [5, 0.5, 6.25, 25],
    'claude-opus-4-8': [5, 0.5, 6.25, 25],
    'claude-opus-4-7': [5, 0.5, 6.25, 25],
    'claude-opus-4-6': [5, 0.5, 6.25, 25],
    'claude-opus-4-5': [5, 0.5, 6.25, 25],
    'claude-sonnet-5-5': [2, 0.1, 2.5, 10],
    'claude-sonnet-5': [2, 0.2, 2.5, 10],
    'claude-haiku-4-5': [1, 0.1, 1.25, 5],
  },
  openai: {
    'gpt-5.4-mini': [0.75, 0.075, 0.75, 4.5],
    'gpt-5.1': [1.25, 0.125, 1.25, 10],
    'gpt-5': [1.25, 0.125, 1.25, 10],
    'gpt-5-mini': [0.25, 0.025, 0.25, 2],
    'gpt-5-nano': [0.05, 0.005, 0.05, 0.4],
    'gpt-4.1': [2, 0.5, 2, 8],
    'gpt-4.1-mini': [0.4, 0.1, 0.4, 1.6],
    'gpt-4.1-nano': [0.1, 0.025, 0.1, 0.4],
    'gpt-4o': [2.5, 1.25, 2.5, 10],
    'gpt-4o-mini': [0.15, 0.075, 0.15, 0.6],
    o3: [2, 0.5, 2, 8],
    'o4-mini': [1.1, 0.275, 1.1, 4.4],
  },
}

/** The date at the end of a version's name. */
const VERSION = /-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$/

/** The parts of a model's configuration that its price depends on. */
interface Priced {
  model: string
  model_endpoint_type: string
  model_endpoint?: string | undefined
}

/** The price of a call in US dollars. Undefined for a model without a known price, and behind another address. */
export function priceOf(
  { model, model_endpoint_type: type, model_endpoint: url }: Priced,
  usage: LanguageModelV4Usage | undefined,
): number | undefined {
  const price = PRICES[type]?.[model.replace(VERSION, '')]
  const isOwn = !url || url === factsOf(type as 'openai').url
  if (!price || !isOwn || usage?.inputTokens.total === undefined) return undefined
  const { total, cacheRead = 0, cacheWrite = 0 } = usage.inputTokens
  const tokens = [total - cacheRead - cacheWrite, cacheRead, cacheWrite, usage.outputTokens.total ?? 0]
  return tokens.reduce((sum, count, kind) => sum + count * price[kind]!, 0) / 1e6
}
