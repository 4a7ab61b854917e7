import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The programs, by their versions: part of the folder's name, so that another version is fetched anew. */
const OLDER = '0.25.9'
const NEWER = '0.32.18'
const PROVIDER = '1.4.0'

/** Where the programs are fetched to, and stay for the next time. */
const FOLDER = join(tmpdir(), `cairn-clients-${OLDER}-${NEWER}-${PROVIDER}`)

const SCOPE = join(FOLDER, 'node_modules/@letta-ai')

/** The programs of the terminal client by their versions, and their tools that run a command. */
export const TERMINAL_CLIENTS = [
  { version: OLDER, program: join(SCOPE, 'letta-code/letta.js'), tool: 'Bash', argument: 'command' },
  { version: NEWER, program: join(SCOPE, 'letta-code-newer/letta.js'), tool: 'exec_command', argument: 'cmd' },
] as const

/** The provider of Vercel's AI SDK, and the SDK. */
export const VERCEL = {
  provider: join(SCOPE, 'vercel-ai-sdk-provider/dist/index.mjs'),
  sdk: join(FOLDER, 'node_modules/ai/dist/index.mjs'),
}

const run = promisify(execFile)

/** Fetches the programs. Scripts of packages don't run. */
async function fetchAll(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), '{"private": true}')
  const options = { cwd: FOLDER, timeout: 300_000 }
  const packages = [
    `@letta-ai/letta-code@${OLDER}`,
    `@letta-ai/vercel-ai-sdk-provider@${PROVIDER}`,
    ...['ai@5.0.89', 'zod@4.1.12'],
  ]
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], options)
  // Not every registry has all dependencies of the newer one: its bundle runs with those of the older one.
  const { stdout } = await run('npm', ['pack', '--silent', `@letta-ai/letta-code@${NEWER}`], options)
  const folder = join(SCOPE, 'letta-code-newer')
  mkdirSync(folder)
  await run('tar', ['xzf', stdout.trim(), '-C', folder, '--strip-components=1'], options)
}

/** Fetches the programs, unless they are there. Returns why they can't be had; undefined when they are there. */
export async function missingPrograms(): Promise<string | undefined> {
  if (existsSync(TERMINAL_CLIENTS[1].program)) return undefined
  try {
    rmSync(FOLDER, { recursive: true, force: true })
    await fetchAll()
    return undefined
  } catch (error) {
    return `the registry refused: ${(error as Error).message.split('\n')[0]}`
  }
}
