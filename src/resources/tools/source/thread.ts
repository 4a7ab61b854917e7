import { parentPort } from 'node:worker_threads'
import { deriveSchema, functionNames, type ToolSource } from './derive.ts'

const TASKS = { schema: deriveSchema, names: functionNames }

/** A request to the thread: what to read in a source. */
export interface Request {
  task: keyof typeof TASKS
  source: ToolSource
}

/** The thread of `createSourceReader`: responds to each source with its schema, or with the names of its functions. */
parentPort!.on('message', ({ task, source }: Request) => parentPort!.postMessage(TASKS[task](source)))
parentPort!.postMessage('ready')
