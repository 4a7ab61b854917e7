import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

/**
 * Takes the screenshots of the console for README and docs: `npm run screenshots -- <url> <key>`, for a server without data of its
 * own, whose default model is `cairn/scripted`. Makes what the pictures show. Needs Debian's Chromium.
 */
const [url, key] = process.argv.slice(2)
if (!url || !key) throw new Error('usage: npm run screenshots -- <url of a new server> <key>')

const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url))

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response.json() as Promise<T>
}
const post = (path: string, body: object) => send<{ id: string }>('POST', path, body)

/** Makes agents with memory, conversations and knowledge. Returns the ids that the pages need. */
async function populate(): Promise<{ agent: string; archive: string }> {
  const archive = await post('/v1/archives/', { name: 'Garden notes', description: 'What grew where, and when' })
  const texts = [
    'The tomatoes by the south wall were watered every second day in July.',
    'Basil and tomatoes share a bed; mint has a pot of its own.',
    'The invoice of the nursery is due on Friday.',
  ]
  await post(`/v1/archives/${archive.id}/passages/batch`, {
    passages: texts.map((text) => ({ text, tags: ['garden'] })),
  })
  for (const name of ['Bertha', 'Charles', 'Dorothy']) await post('/v1/agents/', { name, tags: ['team'] })
  const agent = await post('/v1/agents/', {
    name: 'Ada',
    description: 'Looks after the garden',
    tags: ['garden', 'team'],
    memory_blocks: [
      { label: 'human', value: 'Grace has a small garden and likes tea.' },
      { label: 'persona', value: 'A careful gardener who writes short answers.' },
    ],
  })
  const say = (input: string) => post(`/v1/agents/${agent.id}/messages`, { input })
  await say('Good morning! What should I do in the garden today?')
  const learned = { label: 'human', new_string: 'Waters the tomatoes on Mondays.' }
  await say(`I water the tomatoes on Mondays. !call memory_insert ${JSON.stringify(learned)}`)
  return { agent: agent.id, archive: archive.id }
}

const { agent, archive } = await populate()
const [run] = await send<{ id: string }[]>('GET', `/v1/runs/?agent_id=${agent}&limit=1`)
const PAGES = {
  agents: 'agents',
  agent: `agents/${agent}`,
  run: `runs/${run?.id}`,
  archive: `archives/${archive}?q=tomatoes`,
  feed: 'feed?kind=block',
}

mkdirSync(FOLDER, { recursive: true })
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
const context = await browser.newContext({
  baseURL: url,
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
})
await context.addInitScript(`sessionStorage.setItem('cairn.key', ${JSON.stringify(key)})`)
const page = await context.newPage()
for (const [name, path] of Object.entries(PAGES)) {
  await page.goto(`/console/${path}`)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: `${FOLDER}console-${name}.png` })
}
await browser.close()
