import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const storesOf = (env: Record<string, string>) => readConfig(env).vectorStores

test('without keys there are no hosted stores, and an empty key is none', () => {
  expect(storesOf({})).toEqual({})
  expect(storesOf({ TURBOPUFFER_API_KEY: '', PINECONE_API_KEY: '' })).toEqual({})
})

test('models that take over are pairs of handles', () => {
  const fallbacks = (CAIRN_MODEL_FALLBACKS: string) => readConfig({ CAIRN_MODEL_FALLBACKS }).modelFallbacks
  expect(fallbacks('')).toEqual({})
  expect(fallbacks('openai/gpt-5=a/b, *=openai/gpt-5-mini')).toEqual({
    'openai/gpt-5': 'a/b',
    '*': 'openai/gpt-5-mini',
  })
  for (const wrong of ['openai/gpt-5', 'gpt-5=a/b', 'a/b=c', 'a/b=c/d=e/f']) {
    expect(() => fallbacks(wrong)).toThrow('CAIRN_MODEL_FALLBACKS')
  }
})

test('turbopuffer is where its region is, or at an address of its own', () => {
  const key = { TURBOPUFFER_API_KEY: 'key' }
  const at = (url: string) => ({ tpuf: { apiKey: 'key', url } })
  expect(storesOf(key)).toEqual(at('https://gcp-us-central1.turbopuffer.com'))
  expect(storesOf({ ...key, TURBOPUFFER_REGION: 'aws-eu-west-1' })).toEqual(at('https://aws-eu-west-1.turbopuffer.com'))
  expect(storesOf({ ...key, TURBOPUFFER_BASE_URL: 'http://puffer.local:8080/' })).toEqual(
    at('http://puffer.local:8080'),
  )
})

test('Pinecone is there once the host of an index is named, with its scheme or without', () => {
  const key = { PINECONE_API_KEY: 'key' }
  const host = 'notes-abc123.svc.aped-4627-b74a.pinecone.io'
  expect(storesOf(key)).toEqual({})
  expect(storesOf({ ...key, PINECONE_INDEX_HOST: host })).toEqual({
    pinecone: { apiKey: 'key', url: `https://${host}` },
  })
  expect(storesOf({ ...key, PINECONE_INDEX_HOST: `https://${host}` }).pinecone?.url).toBe(`https://${host}`)
})

test.each([
  { TURBOPUFFER_API_KEY: 'key', TURBOPUFFER_BASE_URL: 'ftp://puffer.local' },
  { TURBOPUFFER_API_KEY: 'key', TURBOPUFFER_REGION: 'evil.example.com/' },
  { PINECONE_API_KEY: 'key', PINECONE_INDEX_HOST: 'file:///etc' },
])('an address that is none is refused by its name: %o', (env) => {
  expect(() => readConfig(env)).toThrow(/(TURBOPUFFER_BASE_URL|TURBOPUFFER_REGION|PINECONE_INDEX_HOST)/)
})
