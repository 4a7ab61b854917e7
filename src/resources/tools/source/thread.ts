import { parentPort } from 'node:worker_threads'
import { deriveSchema, type ToolSource } from './derive.ts'

/** The thread of `createSourceReader`: responds to each source with the derived schema. */
parentPort!.on('message', (source: ToolSource) => parentPort!.postMessage(deriveSchema(source)))
parentPort!.postMessage('ready')
