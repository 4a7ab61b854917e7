import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'

/** What a build of the console reads, but for the client, which the build itself writes. */
const SOURCES = ['src/**', 'public/**', 'index.html', 'package.json', 'vite.config.ts', '../openapi.json']
const WRITTEN = ['src/api/generated.ts']

const modified = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** Whether the folder of the console has sources that are newer than the pages built from them. */
export function isOutdated(folder: string): boolean {
  const built = modified(join(folder, 'dist/index.html')) ?? Number.NEGATIVE_INFINITY
  const sources = globSync(SOURCES, { cwd: folder, exclude: WRITTEN }).map((path) => modified(join(folder, path)) ?? 0)
  return sources.some((time) => time > built)
}

/** Whether the packages that build the console are installed: `npm ci --omit=dev` leaves them out. */
export function canBuild(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve('vite/package.json')
    return existsSync(join(folder, 'package.json'))
  } catch {
    return false
  }
}

/** Ends a process and those that it has started. */
function endTree(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM')
  } catch {
    // The process has ended.
  }
}

/**
 * Builds the console in a process beside the server, then puts the pages in place of the former ones. Resolves with whether
 * that succeeded; a failure is logged. `signal` gives the build up.
 */
export async function build(folder: string, logger: FastifyBaseLogger, signal: AbortSignal): Promise<boolean> {
  const next = join(folder, `dist-${process.pid}`)
  const command = ['run', 'build', '--', '--outDir', next, '--emptyOutDir']
  // A group of its own, so that all its processes can be ended.
  const child = spawn('npm', command, {
    cwd: folder,
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const end = () => endTree(child.pid)
  signal.addEventListener('abort', end)
  try {
    // Requests come first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const [code] = await once(child, 'close')
    if (signal.aborted) return false
    if (code !== 0) throw new Error(output)
    rmSync(join(folder, 'dist'), { recursive: true, force: true })
    renameSync(next, join(folder, 'dist'))
    return true
  } catch (err) {
    logger.error({ err }, 'the console could not be built')
    return false
  } finally {
    signal.removeEventListener('abort', end)
    rmSync(next, { recursive: true, force: true })
  }
}
