import { expect, test } from 'vitest'
import { createKeyedSemaphore } from './keyed-semaphore.ts'

test('work of one key runs a few at a time and in order, and keeps no other key waiting', async () => {
  const semaphore = createKeyedSemaphore(2)
  const started: string[] = []
  const work = (key: string, name: string, until: Promise<void>) =>
    semaphore(key, () => {
      started.push(name)
      return until
    })
  const [first, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const alice = ['a1', 'a2', 'a3', 'a4'].map((name, n) => work('alice', name, n === 0 ? first.promise : never.promise))
  await work('bob', 'b1', Promise.resolve())
  expect(started).toEqual(['a1', 'a2', 'b1'])
  first.resolve()
  await alice[0]
  await work('bob', 'b2', Promise.resolve())
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  never.reject(new Error('over'))
  expect((await Promise.allSettled(alice)).map(({ status }) => status)).toEqual([
    'fulfilled',
    ...Array(3).fill('rejected'),
  ])
  await work('alice', 'a5', Promise.resolve())
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'a5'])
})
