import { parentPort } from 'node:worker_threads'
import { deriveSchema, type ToolSource } from './derive.ts'

/** The thread `createSourceReader` starts: it answers each source with what is derived from it. */
parentPort!.on('message', (source: ToolSource) => parentPort!.postMessage(deriveSchema(source)))
parentPort!.postMessage('ready')
