import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of the benchmark's own that does one thing at a time for it. */
export interface Child<Question, Answer> extends AsyncDisposable {
  ask(question: Question): Promise<Answer>
}

/** Ends a process that was started here: asks it to, and after five seconds makes it. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exited
  clearTimeout(timer)
}

/** Starts a file of this folder in a process of its own. */
export function startChild<Question, Answer>(file: string): Child<Question, Answer> {
  const child = fork(new URL(file, import.meta.url), [], { serialization: 'advanced' })
  return {
    async ask(question) {
      const gone = new AbortController()
      try {
        child.send(question as object)
        const [answer] = (await Promise.race([
          once(child, 'message', { signal: gone.signal }),
          once(child, 'exit', { signal: gone.signal }).then(() => Promise.reject(new Error(`${file} ended.`))),
        ])) as [{ answer: Answer } | { error: string }]
        if ('error' in answer) throw new Error(`${file}: ${answer.error}`)
        return answer.answer
      } finally {
        gone.abort()
      }
    },
    [Symbol.asyncDispose]: () => end(child),
  }
}

/** Answers, in the helper's process, what it is asked; ends with the process that asks. */
export function answer<Question, Answer>(handle: (question: Question) => Promise<Answer>): void {
  process.on('message', async (question) => {
    try {
      process.send!({ answer: await handle(question as Question) })
    } catch (error) {
      process.send!({ error: (error as Error).stack })
    }
  })
  process.on('disconnect', () => process.exit())
  // The terminal interrupts every process of the group; the one that asks then ends this one.
  process.on('SIGINT', () => {})
}
