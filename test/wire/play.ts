import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type Agreement, agreementOf, type Deviation } from './count.ts'

/** The folder of the recordings: they are no part of the repository. `WIRE_RECORDINGS` names it, else it lies beside. */
export const FOLDER = resolve(process.env.WIRE_RECORDINGS ?? join(import.meta.dirname, '../../../shared/wire'))

/** Whether the recordings are there. */
export const recordingsExist = () => existsSync(join(FOLDER, 'recordings'))

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

/** The scenarios that were recorded. That of MCP needs `MCP_URL`, a running `@modelcontextprotocol/server-everything`. */
export const scenarios = () =>
  readdirSync(join(FOLDER, 'recordings'))
    .map((file) => basename(file, '.json'))
    .filter((name) => name !== 'mcp' || process.env.MCP_URL)
    .sort()

export interface Server {
  /** The address of the server, without a path. */
  url: string
  key: string
}

/** The model of the recordings, which does what the text of a message says; the server has to be set up to use it. */
export async function startModel(): Promise<{ url: string; close(): void }> {
  const { start } = await import(join(FOLDER, 'model.mjs'))
  return start(0)
}

/** The settings of a server that uses the model. */
export const settingsFor = (modelUrl: string) => ({
  OPENAI_API_KEY: 'any',
  OPENAI_BASE_URL: modelUrl,
  CAIRN_ALLOWED_NETWORKS: 'loopback',
})

/** Plays one scenario, and writes what the server said to a file of the folder `out`. */
async function record({ url, key }: Server, modelUrl: string, out: string, scenario: string): Promise<void> {
  // `only` is a part of the name: the recorder may play others, too.
  const recorder = [join(FOLDER, 'record.mjs'), 'cairn', `${url}/letta`, out, join(FOLDER, 'scenarios.mjs'), scenario]
  const child = spawn(process.execPath, recorder, {
    env: { ...process.env, KEY: key, MODEL_URL: modelUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
}

/** Plays scenarios one after another against a server, and compares each with its recording. */
export async function* play(server: Server, modelUrl: string, names: readonly string[]): AsyncGenerator<Agreement> {
  const { differences } = await import(join(FOLDER, 'compare.mjs'))
  const deviations: Deviation[] = readJson(import.meta.dirname, 'deviations.json')
  const out = mkdtempSync(join(tmpdir(), 'cairn-wire-'))
  try {
    for (const name of names) {
      await record(server, modelUrl, out, name)
      const expected = readJson(FOLDER, 'recordings', `${name}.json`)
      const steps = expected.exchanges.filter(({ request }: { request?: unknown }) => request).length
      const found = existsSync(join(out, `${name}.json`))
        ? differences(expected, readJson(out, `${name}.json`))
        : [{ where: '0 ', what: 'not reached' }]
      yield agreementOf(name, steps, found, deviations)
    }
  } finally {
    rmSync(out, { recursive: true })
  }
}
