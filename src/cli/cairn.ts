import { readClientConfig } from '../config.ts'
import { runCairn } from './run.ts'
import { processTerminal } from './terminal.ts'

process.exitCode = await runCairn(process.argv.slice(2), processTerminal(), readClientConfig)
