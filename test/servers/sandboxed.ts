import { createSandbox } from '../../src/sandbox/open.ts'
import type { SandboxCall } from '../../src/sandbox/sandbox.ts'

/** Runs the calls that the parent process sends, one behind the other, in a sandbox of this process's user. */
const packageIndexes = { pip: '', npm: '' }
const sandbox = createSandbox({ mode: 'auto', dataDir: process.argv[2]!, packageIndexes })
let last: Promise<unknown> = Promise.resolve()
process.on('message', (call: SandboxCall) => {
  last = last.then(async () => process.send!(await sandbox.run(call)))
})
process.on('disconnect', () => process.exit())
process.send!((await sandbox.opened()).kind)
