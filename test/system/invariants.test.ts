import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { sequences } from '../invariants/actions.ts'
import { play } from '../invariants/play.ts'
import { startWorld, type World } from '../invariants/world.ts'

/** The usual histories are the same each time; another seed makes others. */
const { HISTORIES = '5', SEED = '1' } = process.env

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const MINUTE = 60_000

test('whatever is sent, answered, cancelled, killed and compacted, every history stays one that all providers take', {
  timeout: Number(HISTORIES) * MINUTE,
}, async () => {
  const histories = sequences(world.strict.handles.length)
  await fc.assert(
    fc.asyncProperty(histories, (sequence) => play(world, sequence)),
    { numRuns: Number(HISTORIES), seed: Number(SEED), interruptAfterTimeLimit: 30 * MINUTE },
  )
})
