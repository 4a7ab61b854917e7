import { readdirSync, readFileSync } from 'node:fs'

/** The interval between two looks at the memory of a call. */
const INTERVAL_MS = 50

/** The text of a file of a process; empty once the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function threadsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** A process and its descendants. Orphans of a sandbox become children of its first process, so none is missing. */
function* familyOf(pid: string): Generator<string> {
  yield pid
  for (const thread of threadsOf(pid)) {
    for (const child of read(`/proc/${pid}/task/${thread}/children`).split(' ')) if (child) yield* familyOf(child)
  }
}

/** The memory of a process and its descendants in bytes, without mapped files. Linux only; 0 elsewhere. */
export function memoryOf(pid: number): number {
  let kilobytes = 0
  for (const one of familyOf(String(pid))) {
    for (const [, size] of read(`/proc/${one}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) {
      kilobytes += Number(size)
    }
  }
  return kilobytes * 1024
}

/** Calls `onExcess` once a process and its descendants have more than `max` bytes of memory. Returns what ends the watch. */
export function watchMemory(pid: number, max: number, onExcess: () => void, everyMs = INTERVAL_MS): () => void {
  const timer = setInterval(() => memoryOf(pid) > max && onExcess(), everyMs)
  return () => clearInterval(timer)
}
