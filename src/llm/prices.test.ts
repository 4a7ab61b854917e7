import { expect, test } from 'vitest'
import { priceOf } from './prices.ts'

const usage = (total: number, cacheRead: number, cacheWrite: number, output: number) => ({
  inputTokens: { total, noCache: total - cacheRead - cacheWrite, cacheRead, cacheWrite },
  outputTokens: { total: output, text: output, reasoning: 0 },
})
const MILLION = 1_000_000

test.each([
  ['gpt-4o-mini', 'openai', undefined, 0.15 + 0.6],
  ['gpt-4o-mini-2024-07-18', 'openai', 'https://api.openai.com/v1', 0.15 + 0.6],
  ['claude-haiku-4-5-20251001', 'anthropic', undefined, 1 + 5],
  ['gpt-4o-mini', 'openai', 'http://127.0.0.1:1234/v1', undefined],
  ['gpt-4o-mini', 'azure', undefined, undefined],
  ['gpt-5-pro', 'openai', undefined, undefined],
])('a million tokens to %s of %s at %s, and a million back, have their price', (model, type, url, price) => {
  const config = { model, model_endpoint_type: type, model_endpoint: url }
  const cost = priceOf(config, usage(MILLION, 0, 0, MILLION))
  if (price === undefined) expect(cost).toBeUndefined()
  else expect(cost).toBeCloseTo(price, 10)
})

test('tokens of a cache have prices of their own, and unknown tokens have none', () => {
  const config = { model: 'claude-haiku-4-5', model_endpoint_type: 'anthropic' }
  expect(priceOf(config, usage(2 * MILLION, MILLION, MILLION, 0))).toBeCloseTo(0.1 + 1.25, 10)
  expect(priceOf(config, undefined)).toBeUndefined()
})
