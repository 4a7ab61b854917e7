import { vectorOf } from './openai.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** Ollama's details of each model. */
const SHOWN: Record<string, { capabilities: string[]; model_info: Record<string, unknown> }> = {
  'llama3.2:latest': {
    capabilities: ['completion', 'tools'],
    model_info: {
      'general.architecture': 'llama',
      'llama.attention.head_count': 24,
      'llama.context_length': 131_072,
      'llama.embedding_length': 3072,
    },
  },
  'gpt-oss:20b': {
    capabilities: ['completion', 'tools', 'thinking'],
    model_info: {
      'general.architecture': 'gptoss',
      'gptoss.context_length': 131_072,
      'gptoss.embedding_length': 2880,
      'gptoss.rope.scaling.original_context_length': 4096,
    },
  },
  'nomic-embed-text:latest': {
    capabilities: ['embedding'],
    model_info: {
      'general.architecture': 'nomic-bert',
      'nomic-bert.context_length': 2048,
      'nomic-bert.embedding_length': 768,
    },
  },
  // Its name doesn't reveal its purpose.
  'granite-278m:latest': {
    capabilities: ['embedding'],
    model_info: { 'general.architecture': 'bert', 'bert.context_length': 512, 'bert.embedding_length': 384 },
  },
}

const tag = (name: string) => ({
  name,
  model: name,
  modified_at: '2025-09-14T10:22:41.182731Z',
  size: 2_019_393_189,
  digest: 'a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72',
  details: { parent_model: '', format: 'gguf', family: 'llama', families: ['llama'], parameter_size: '3.2B' },
})

/** A model without a tag is its latest. */
const named = (name: string) => (name.includes(':') ? name : `${name}:latest`)

/** Ollama needs no key and ignores any. */
function answerTo({ method, path, body }: Asked): Answer {
  if (method === 'GET' && path === '/api/tags') {
    return { status: 200, body: { models: Object.keys(SHOWN).map(tag) } }
  }
  if (method === 'POST' && path === '/api/show') {
    const shown = SHOWN[named(body.model)]
    if (!shown) return { status: 404, body: { error: `model '${body.model}' not found` } }
    return { status: 200, body: { modelfile: '# Modelfile', template: '{{ .Prompt }}', details: {}, ...shown } }
  }
  if (method === 'POST' && path === '/v1/embeddings') {
    const info = SHOWN[named(body.model)]?.model_info
    if (!info) {
      const message = `model "${body.model}" not found, try pulling it first`
      return { status: 404, body: { error: { message, type: 'not_found_error', param: null, code: null } } }
    }
    const dimension = info[`${info['general.architecture']}.embedding_length`] as number
    const data = [body.input].flat().map((text: string, index) => ({
      object: 'embedding',
      embedding: vectorOf(text, dimension),
      index,
    }))
    const usage = { prompt_tokens: 8, total_tokens: 8 }
    return { status: 200, body: { object: 'list', data, model: body.model, usage } }
  }
  return { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }
}

export async function startOllama(): Promise<Server> {
  return serve(answerTo)
}
