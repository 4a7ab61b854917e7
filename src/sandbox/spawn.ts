import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/** A program with its arguments, in or without a sandbox. */
export interface Command {
  file: string
  args: readonly string[]
  /** All of its environment; absent: none. */
  env?: Readonly<Record<string, string>> | undefined
  /** The user and group of the program; absent: those of the server. */
  uid?: number | undefined
  /** Bytes that the program reads from descriptor 4. */
  filter?: Buffer | undefined
}

/** Starts a program in a process group of its own, with pipes for what it writes, and for its input or descriptor 3. */
export function spawnProgram({ file, args, env = {}, uid, filter }: Command, fed: 'stdin' | 'channel'): ChildProcess {
  const pipeFor = (name: typeof fed) => (fed === name ? 'pipe' : 'ignore')
  const child = spawn(file, args, {
    env,
    cwd: '/',
    detached: true,
    stdio: [pipeFor('stdin'), 'pipe', 'pipe', pipeFor('channel'), ...(filter ? (['pipe'] as const) : [])],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const input = child.stdio[4] as Writable | undefined
  input?.on('error', () => {}).end(filter)
  return child
}

/** Ends a program with the processes of its group. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

/** Resolves once a process has ended and all of its output has been read. */
export const closeOf = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
    // Its children hold the pipes open.
    child.once('exit', () => killGroup(child))
  })
