import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnthropic } from '../../test/models/anthropic/stub.ts'
import { collect, ROLL, said } from '../../test/models/collect.ts'
import { startGemini } from '../../test/models/gemini/stub.ts'
import { startKimi } from '../../test/models/kimi/stub.ts'
import { startOpenAi } from '../../test/models/openai/stub.ts'
import type { Json } from '../../test/models/shape.ts'
import type { Stub } from '../../test/models/stub.ts'
import { apiUrl, type ProviderType } from '../lib/provider-types.ts'
import { openLanguageModel } from './language-model.ts'
import { callSettings } from './settings.ts'

/** Stubs of providers that refuse what the providers refuse; requests to others are looked at alone. */
const STRICT = { openai: startOpenAi, anthropic: startAnthropic, google_ai: startGemini, moonshot: startKimi }
const stubs: Partial<Record<ProviderType, Stub>> = {}
beforeAll(async () => {
  for (const [type, start] of Object.entries(STRICT)) stubs[type as ProviderType] = await start()
})
afterAll(() => Promise.all(Object.values(stubs).map((stub) => stub.close())))

const KEYS: Partial<Record<ProviderType, object>> = {
  bedrock: { region: 'us-east-1' },
  azure: { url: 'https://a.azure.com/openai' },
}

interface Case {
  model: string
  settings: Json
  config?: Json
  parallel?: boolean
}

/** The body that a provider receives for a call with these settings. */
async function bodyFor(type: ProviderType, { model, settings, config = {}, parallel = true }: Case): Promise<Json> {
  const stub = stubs[type]
  let body: Json
  const capture = async (_: unknown, init?: RequestInit) => {
    body = JSON.parse(String(init?.body))
    return new Response('{}', { status: 400 })
  }
  const own = stub ? { url: stub.url, apiKey: stub.key, fetch } : { apiKey: 'key', fetch: capture as typeof fetch }
  const url = apiUrl(type) ?? 'http://local.test/v1'
  const open = await openLanguageModel({ name: type, type, url, ...KEYS[type], ...own }, model)
  const options = { prompt: [said('Roll.')], tools: [ROLL], ...callSettings(config, settings, parallel) }
  const answer = collect(open, options)
  if (!stub) return answer.then(Promise.reject, () => body)
  await answer
  expect(stub.requests.at(-1)!.refused).toBeUndefined()
  return stub.requests.at(-1)!.body
}

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } }
const OPENAI_FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } }
const common = { temperature: 0.3, max_output_tokens: 900, response_format: FORMAT }
const chat = { temperature: 0.3, max_tokens: 900, response_format: OPENAI_FORMAT }

/** Settings of each variant, and what the provider gets of them. */
const CASES: [ProviderType, string, Case, object][] = [
  [
    'openai',
    'of a model that answers at once',
    { model: 'gpt-4o-mini', settings: common, parallel: false },
    { ...chat, parallel_tool_calls: false },
  ],
  [
    'openai',
    'of a model that does not reason',
    { model: 'gpt-4o-mini', settings: { reasoning: { reasoning_effort: 'high' } } },
    { model: 'gpt-4o-mini' },
  ],
  [
    'openai',
    'of a model that reasons',
    {
      model: 'gpt-5-mini',
      settings: { ...common, reasoning: { reasoning_effort: 'high' } },
      config: { verbosity: 'low' },
      parallel: false,
    },
    {
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 900,
      parallel_tool_calls: false,
      store: false,
      include: ['reasoning.encrypted_content'],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } },
    },
  ],
  [
    'anthropic',
    'with a budget',
    {
      model: 'claude-sonnet-4-5',
      settings: { max_output_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } },
      parallel: false,
    },
    {
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tool_choice: { disable_parallel_tool_use: true },
    },
  ],
  [
    'anthropic',
    'without thinking',
    { model: 'claude-sonnet-4-5', settings: { temperature: 0.3, thinking: { type: 'disabled' } } },
    { temperature: 0.3, thinking: { type: 'disabled' } },
  ],
  [
    'anthropic',
    'with an effort',
    { model: 'claude-opus-4-6', settings: { effort: 'low' } },
    { output_config: { effort: 'low' } },
  ],
  [
    'anthropic',
    'with a format',
    { model: 'claude-sonnet-4-5', settings: { response_format: FORMAT } },
    { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  ],
  [
    'moonshot_coding',
    '',
    { model: 'kimi-for-coding', settings: { max_output_tokens: 4000, thinking: { budget_tokens: 1500 } } },
    { max_tokens: 4000, thinking: { budget_tokens: 1500 } },
  ],
  ...(['google_ai', 'google_vertex'] as const).map((type): [ProviderType, string, Case, object] => [
    type,
    '',
    {
      model: 'gemini-3-pro-preview',
      settings: {
        temperature: 0.3,
        max_output_tokens: 900,
        thinking_config: { include_thoughts: true, thinking_budget: 512 },
      },
    },
    {
      generationConfig: {
        temperature: 0.3,
        maxOutputTokens: 900,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 512 },
      },
    },
  ]),
  [
    'sglang',
    '',
    { model: 'qwen3', settings: { ...common, reasoning: { reasoning_effort: 'low' } }, parallel: false },
    { ...chat, reasoning_effort: 'low', parallel_tool_calls: false },
  ],
  ['azure', '', { model: 'gpt-4o', settings: common, parallel: false }, { ...chat, parallel_tool_calls: false }],
  [
    'xai',
    '',
    { model: 'grok-4', settings: common, parallel: false },
    {
      temperature: 0.3,
      max_output_tokens: 900,
      parallel_tool_calls: false,
      store: false,
      text: { format: { type: 'json_schema', schema: SCHEMA } },
    },
  ],
  [
    'moonshot',
    'with its own temperature',
    { model: 'kimi-k2.6', settings: { temperature: 0.3, max_output_tokens: 900 } },
    { max_completion_tokens: 900 },
  ],
  [
    'groq',
    '',
    { model: 'openai/gpt-oss-120b', settings: { temperature: 0.3, max_output_tokens: 900 }, parallel: false },
    { temperature: 0.3, max_tokens: 900, parallel_tool_calls: false },
  ],
  [
    'deepseek',
    '',
    { model: 'deepseek-chat', settings: common },
    { temperature: 0.3, max_tokens: 900, response_format: { type: 'json_object' } },
  ],
  [
    'together',
    '',
    { model: 'Qwen/Qwen3-235B', settings: { temperature: 0.3, max_output_tokens: 900 }, parallel: false },
    { temperature: 0.3, max_tokens: 900, parallel_tool_calls: false },
  ],
  [
    'bedrock',
    '',
    { model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', settings: { temperature: 0.3, max_output_tokens: 900 } },
    { inferenceConfig: { temperature: 0.3, maxTokens: 900 } },
  ],
  [
    'openrouter',
    '',
    { model: 'openai/gpt-4o', settings: common, config: { reasoning_effort: 'low' }, parallel: false },
    { ...chat, parallel_tool_calls: false, reasoning: { effort: 'low' } },
  ],
  [
    'zai',
    '',
    {
      model: 'glm-4.6',
      settings: { ...common, provider_type: 'zai', thinking: { type: 'enabled', clear_thinking: false } },
    },
    {
      temperature: 0.3,
      max_tokens: 900,
      thinking: { type: 'enabled', clear_thinking: false },
      response_format: { type: 'json_object' },
    },
  ],
  [
    'baseten',
    '',
    { model: 'deepseek-v3', settings: { temperature: 0.3, max_output_tokens: 900 } },
    { temperature: 0.3, max_tokens: 900 },
  ],
  [
    'chatgpt_oauth',
    '',
    { model: 'gpt-5', settings: { max_output_tokens: 900, reasoning: { reasoning_effort: 'medium' } } },
    { reasoning: { effort: 'medium', summary: 'auto' }, store: false },
  ],
  [
    'cerebras',
    '',
    { model: 'gpt-oss-120b', settings: common, parallel: false },
    { temperature: 0.3, max_completion_tokens: 900, parallel_tool_calls: false, response_format: OPENAI_FORMAT },
  ],
  [
    'fireworks',
    '',
    { model: 'accounts/fireworks/models/kimi-k2', settings: common, parallel: false },
    { ...chat, parallel_tool_calls: false },
  ],
  [
    'mistral',
    '',
    { model: 'mistral-large-latest', settings: common, parallel: false },
    { ...chat, parallel_tool_calls: false },
  ],
]

describe('settings reach the provider', () => {
  test.each(CASES)('%s %s', async (type, _, given, expected) => {
    const body = await bodyFor(type, given)
    expect(body).toMatchObject(expected)
    expect(body).not.toHaveProperty('strictJsonSchema')
  })
})
