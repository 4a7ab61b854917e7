import type { Bounds } from './fault.ts'
import type { ToRead } from './read.ts'
import { readInThread } from './read-in-thread.ts'

/** The process that `readFile` starts for one file: a thread of the process reads it. */

process.once('message', async ({ job, bounds }: { job: ToRead; bounds: Bounds }) => {
  process.send!(await readInThread(job, bounds))
})
// The server is gone, or has the result.
process.once('disconnect', () => process.exit())
