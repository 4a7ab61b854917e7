import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { caller, createStore, refusal, type Store } from '../process.ts'

// Several starts of a real server in one test, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 })

const KEY = 'key-of-the-full-disk'
const MAIN = ['node', 'src/main.ts']
const MIB = 1_048_576

let store: Store
let mounted = false
const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, store.directory])

beforeAll(async () => {
  store = await createStore()
  if (inject('template').server) return
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', store.directory], { stdio: 'ignore' })
    mounted = true
  } catch {
    // Only root of a Linux machine can make a disk of that size.
  }
})
afterAll(async () => {
  await store.drop(() => mounted && execFileSync('umount', [store.directory]))
})

/** Fills the disk but for a few MiB. */
function fill(leftMib: number): void {
  const { bavail, bsize } = statfsSync(store.directory)
  writeFileSync(join(store.directory, 'filler'), Buffer.alloc(bavail * bsize - leftMib * MIB))
}
const empty = () => rmSync(join(store.directory, 'filler'))

test('on a full disk writes are refused, the server stays and stops, and with room it goes on with every acknowledged write', async ({
  skip,
}) => {
  if (!mounted) skip('no small disk can be made here')
  const first = await store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'warn' })
  const made: string[] = []
  /** Stores blocks until one is refused. */
  async function writeUntilFull(call: ReturnType<typeof caller>): Promise<void> {
    for (;;) {
      // Too varied to be compressed.
      const value = Array.from({ length: 8_000 }, () => Math.random().toString(36))
        .join('')
        .slice(0, 90_000)
      const { status, body } = await call('POST', '/v1/blocks', { label: 'x', value, limit: 90_000 })
      if (status !== 200) return expect([status, body.code]).toEqual([503, 'unavailable'])
      made.push(body.id)
    }
  }

  fill(6)
  const call = caller(first.url, KEY)
  await writeUntilFull(call)
  expect((await call('POST', '/v1/archives', { name: 'x'.repeat(200) })).status).toBeOneOf([200, 503])
  expect((await call('GET', '/v1/blocks?limit=1')).status).toBeOneOf([200, 503])
  expect((await call('GET', '/v1/ready')).status).toBe(503)
  expect((await call('GET', '/v1/health')).status).toBe(200)
  expect(await first.kill('SIGTERM')).toMatchObject({ signal: null })

  await refusal(store, [MAIN], 'CAIRN_DATA_DIR cannot be used', 'The disk of the database is full', /Free space/)
  empty()
  remount('ro')
  await refusal(store, [MAIN], 'CAIRN_DATA_DIR cannot be used', /read-?only/i)
  remount('rw')

  const again = await store.serve({ LOG_LEVEL: 'warn' })
  const later = caller(again.url, KEY)
  const readable = async () => {
    for (const id of made) expect((await later('GET', `/v1/blocks/${id}`)).status).toBe(200)
  }
  await readable()
  fill(6)
  await writeUntilFull(later)
  empty()
  const write = () => later('POST', '/v1/blocks', { label: 'y', value: 'y' })
  await vi.waitFor(async () => expect((await write()).status).toBe(200), { timeout: 60_000, interval: 100 })
  expect((await later('GET', '/v1/ready')).status).toBe(200)
  await readable()
  expect(await again.kill('SIGTERM')).toMatchObject({ code: 0, errors: '' })
})

test('a first start on a full disk is refused, and succeeds once there is room', async ({ skip }) => {
  if (!mounted) skip('no small disk can be made here')
  rmSync(join(store.directory, 'database'), { recursive: true, force: true })
  fill(20)
  await refusal(store, [MAIN], 'CAIRN_DATA_DIR cannot be used', /No space left|is full/, /Free space/)
  empty()
  const { kill } = await store.serve()
  expect(await kill('SIGTERM')).toMatchObject({ code: 0 })
})
