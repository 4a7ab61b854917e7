import { expect, test } from 'vitest'
import { startOneShot } from './one-shot.ts'

/** A program whose child leaves its process group, as a sandbox does, and isn't bound to it yet. */
const PROGRAM = `require('node:child_process').spawn('sh', ['-c', 'echo ready >&3; exec cat <&3'], { detached: true, stdio: [0, 1, 2, 3] })`

test('a process that is ended while its sandbox starts keeps nobody waiting', async () => {
  const started = startOneShot({ file: process.execPath, args: ['-e', PROGRAM] })
  await started.ready
  await expect(started.kill()).resolves.toBeUndefined()
})
