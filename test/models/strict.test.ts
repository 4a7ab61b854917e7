import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createEgress } from '../../src/lib/egress.ts'
import { apiUrl } from '../../src/lib/provider-types.ts'
import { listModels } from '../../src/llm/listing.ts'
import { type StrictProviders, startStrictProviders } from './strict.ts'

const egress = createEgress(['loopback'])
let strict: StrictProviders
beforeAll(async () => {
  strict = await startStrictProviders()
})
afterAll(() => Promise.all([egress.close(), strict.close()]))

test('a server with the settings of the strict providers lists their models', async () => {
  const listed: string[] = []
  for (const { name, type, apiKey, baseUrl } of readConfig(strict.settings).providers) {
    const connection = { name, type, url: apiUrl(type, baseUrl)!, apiKey, fetch: egress.fetch }
    listed.push(...(await listModels(connection)).map((model) => `${name}/${model.name}`))
  }
  expect(listed).toEqual(expect.arrayContaining([...strict.handles]))
  expect(strict.refusals()).toEqual([])
})

test('the refusals of all strict providers are in one list', async () => {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = strict.settings
  const headers = { authorization: `Bearer ${key}` }
  await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: '{"model": "gpt-4o-mini"}' })
  expect(strict.refusals()).toEqual(["POST /v1/chat/completions: Missing required parameter: 'messages'."])
})
