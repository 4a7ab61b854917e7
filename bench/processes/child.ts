import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of the benchmark's own that handles one request at a time. */
export interface Child<Request, Response> extends AsyncDisposable {
  call(request: Request): Promise<Response>
}

const KILL_AFTER_MS = 5_000

/** Ends a process that was started here: by SIGTERM, and by SIGKILL after five seconds. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  await exited
  clearTimeout(timer)
}

/** Starts a file of this folder in a process of its own. `call` throws when the process reports an error or ends. */
export function startChild<Request, Response>(file: string): Child<Request, Response> {
  const child = fork(new URL(file, import.meta.url), [], { serialization: 'advanced' })
  return {
    async call(request) {
      const done = new AbortController()
      try {
        child.send(request as object)
        const [message] = (await Promise.race([
          once(child, 'message', { signal: done.signal }),
          once(child, 'exit', { signal: done.signal }).then(() => Promise.reject(new Error(`${file} ended.`))),
        ])) as [{ response: Response } | { error: string }]
        if ('error' in message) throw new Error(`${file}: ${message.error}`)
        return message.response
      } finally {
        done.abort()
      }
    },
    [Symbol.asyncDispose]: () => endProcess(child),
  }
}

/** Handles the parent's requests in the child process, which ends with its parent. */
export function serveParent<Request, Response>(handle: (request: Request) => Promise<Response>): void {
  process.on('message', async (request) => {
    try {
      process.send!({ response: await handle(request as Request) })
    } catch (error) {
      process.send!({ error: (error as Error).stack })
    }
  })
  process.on('disconnect', () => process.exit())
  // A terminal sends SIGINT to every process of the group; the parent then ends this one.
  process.on('SIGINT', () => {})
}
