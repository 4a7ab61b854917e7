import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedModel } from '../test/models/scripted/model.ts'
import { isSummary, textsIn, windowed } from '../test/models/windowed.ts'
import { type Server, startServer } from './processes/server.ts'
import type { Progress } from './progress.ts'

const KEY = 'cairn_benchmark_of_the_context_0123456789'
const WINDOW = 8_000
/** Every third fact is corrected later; between two facts lie messages about nothing. */
const FACTS = 24
const FILLER = 3

/** The figures of conversations with a model that counts `factor` tokens for each token of a common tokenizer. */
export interface ContextFigures {
  factor: number
  /** Characters of a summary at most: a short one drops facts, which a search has to find. */
  clip_chars: number
  messages: number
  /** Messages without an answer. */
  stuck: number
  /** Prompts that were longer than the window, and the longest prompt as a share of the window. */
  refused: number
  fullest: number
  summaries: number
  /** Facts in their latest form: in context, or else found by a search among the first five. */
  facts: number
  in_context: number
  found: number
  /** The share of a prompt's bytes that begins as the prompt before did, so that a provider has it cached. */
  shared_prefix: number
}

const subject = (n: number) => `Project Kestrel${n}`
const fact = (n: number, version: number) =>
  `${subject(n)} has the access word ${['amber', 'cobalt'][version]}${n * 37}.`

/** Some hundred words without a fact, other ones each time. */
const filler = (n: number) =>
  Array.from({ length: 60 }, (_, at) => `item ${n * 61 + at} lies on shelf ${(at * 7 + n) % 90}`).join(', ')

/** The messages of the conversation, in their order. */
function* messages(): Generator<string> {
  for (let n = 0; n < FACTS; n++) {
    yield `Remember: ${fact(n, 0)}`
    for (let at = 0; at < FILLER; at++) yield `Note this: ${filler(n * FILLER + at)}.`
    if (n % 3 === 2) yield `That has changed: ${fact(n - 1, 1)}`
  }
}

const latest = (n: number) => fact(n, n % 3 === 1 ? 1 : 0)

const sharedLength = (a: string, b: string) => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

async function post<T>({ origin }: Server, path: string, body: object): Promise<{ status: number; body: T }> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as T }
}

async function measure(
  server: Server,
  factor: number,
  clip_chars: number,
  progress: Progress,
): Promise<ContextFigures> {
  // A summarizer that keeps facts, and drops all else.
  const counts = windowed({ window: WINDOW, factor, keeps: /access word/ })
  const model = await startScriptedModel({ answers: counts.respond })
  try {
    const llm_config = { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: WINDOW }
    const { id } = (
      await post<{ id: string }>(server, '/v1/agents/', {
        llm_config,
        system: 'You help.',
        compaction_settings: { clip_chars },
      })
    ).body
    let [sent, stuck] = [0, 0]
    for (const input of messages()) {
      progress.show(`context, ${factor} tokens for each: message ${++sent}`)
      if ((await post(server, `/v1/agents/${id}/messages`, { input })).status !== 200) stuck++
    }
    const talks = model.requests.filter((request) => !isSummary(request))
    const prompts = talks.map(({ body }) => JSON.stringify(body.messages))
    const shares = prompts.slice(1).map((prompt, n) => sharedLength(prompts[n]!, prompt) / prompt.length)
    const context = textsIn(talks.at(-1)!).join('\n')
    let [inContext, found] = [0, 0]
    for (let n = 0; n < FACTS; n++) {
      if (context.includes(latest(n))) inContext++
      else {
        const search = { query: `access word of ${subject(n)}`, agent_id: id, limit: 5 }
        const { body } = await post<{ embedded_text: string }[]>(server, '/v1/agents/messages/search', search)
        if (body.some(({ embedded_text }) => embedded_text.includes(latest(n)))) found++
      }
    }
    return {
      factor,
      clip_chars,
      messages: sent,
      stuck,
      refused: counts.refused,
      fullest: Math.max(...counts.prompts) / WINDOW,
      summaries: model.requests.filter(isSummary).length,
      facts: FACTS,
      in_context: inContext,
      found,
      shared_prefix: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    }
  } finally {
    await model.close()
  }
}

const COLUMNS: [title: string, show: (figures: ContextFigures) => string][] = [
  ['tokens for each', ({ factor }) => String(factor)],
  ['summary at most', ({ clip_chars }) => String(clip_chars)],
  ['messages', ({ messages: sent }) => String(sent)],
  ['stuck', ({ stuck }) => String(stuck)],
  ['too long', ({ refused }) => String(refused)],
  ['fullest', ({ fullest }) => `${(fullest * 100).toFixed(0)} %`],
  ['summaries', ({ summaries }) => String(summaries)],
  ['in context', ({ in_context, facts }) => `${in_context}/${facts}`],
  ['or found', ({ in_context, found, facts }) => `${in_context + found}/${facts}`],
  ['shared prefix', ({ shared_prefix }) => `${(shared_prefix * 100).toFixed(0)} %`],
]

/** The tokens of the model for each of a common tokenizer, and the characters of a summary. */
const VARIANTS = [
  [0.6, 50_000],
  [1, 50_000],
  [1.4, 50_000],
  [1, 400],
] as const

/** Measures compaction with a model that holds to its window, and summarizes by a program. Prints a table. */
export async function runContext(cleanup: AsyncDisposableStack, progress: Progress): Promise<ContextFigures[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-context-'))
  cleanup.defer(() => rmSync(directory, { recursive: true }))
  const settings = { CAIRN_DATA_DIR: join(directory, 'data'), CAIRN_ALLOWED_NETWORKS: 'loopback', LOG_LEVEL: 'warn' }
  const server = await startServer(settings, KEY, join(directory, 'server.log'), cleanup)
  const all: ContextFigures[] = []
  for (const [factor, clip] of VARIANTS) all.push(await measure(server, factor, clip, progress))
  progress.done()
  const rows = [COLUMNS.map(([title]) => title), ...all.map((figures) => COLUMNS.map(([, show]) => show(figures)))]
  for (const row of rows) console.log(row.map((cell) => cell.padStart(15)).join(' '))
  return all
}
