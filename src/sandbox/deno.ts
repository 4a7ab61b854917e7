import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A program that runs TypeScript. */
export interface Deno {
  path: string
  version: string
}

const SYSTEM = ['/usr/local/bin/deno', '/usr/bin/deno', '/opt/homebrew/bin/deno']

/** How to install Deno. The command is another in each kind of installation. */
export const INSTALL_DENO =
  'Tools in TypeScript need the npm package deno@2.9.6: docs/tool-packages.md says how to add it.'

/** Deno of the npm package `deno`; undefined where it isn't installed. */
function installed(): string | undefined {
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@deno/${platform}/package.json`)), 'deno')
  } catch {
    return undefined
  }
}

/** Finds Deno 2 on this machine. */
export function findDeno(): Deno | undefined {
  for (const path of [installed(), ...SYSTEM]) {
    if (!path || !existsSync(path)) continue
    const [, version = ''] = /^deno (\S+)/.exec(execFileSync(path, ['--version'], { env: {}, encoding: 'utf8' })) ?? []
    if (version.startsWith('2.')) return { path, version }
  }
  return undefined
}

/** The heap of a tool: V8 doesn't start where its addresses are limited, as those of other programs are. */
const HEAP_MB = 384

/** The arguments of Deno that runs tools: without network, processes and foreign functions. Files are those of the sandbox. */
export const denoProgram = ({ path }: Deno): readonly string[] => {
  const harness = readFileSync(new URL('./harness.ts', import.meta.url))
  return [
    path,
    ...['run', '--quiet', '--no-prompt', '--no-config', '--no-lock', '--no-remote', '--node-modules-dir=manual'],
    ...['--allow-env', '--allow-read', '--allow-write', `--v8-flags=--max-old-space-size=${HEAP_MB}`],
    `data:application/typescript;base64,${harness.toString('base64')}`,
  ]
}
