import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { build, isOutdated } from './build.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-console-'))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/main.ts'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Puts a package there that "builds" with this script, which gets the folder to build to as OUT. */
const packageWith = (script: string) => {
  writeFileSync(join(folder, 'build.mjs'), `const OUT = process.argv[3]; ${script}`)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { build: 'node build.mjs' } }))
}
const WRITE = `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync(OUT); writeFileSync(OUT + '/index.html', 'new')`

const built = () => readFileSync(join(folder, 'dist/index.html'), 'utf8')
const start = (signal = new AbortController().signal) => build(folder, pino({ level: 'silent' }), signal)

test('a console is outdated when a source is newer than its pages, and built anew in their place', async () => {
  packageWith(WRITE)
  expect(isOutdated(folder)).toBe(true)
  expect(await start()).toBe(true)
  expect([isOutdated(folder), built()]).toEqual([false, 'new'])
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(folder, 'src/main.ts'), later, later)
  expect(isOutdated(folder)).toBe(true)
})

test('a build that fails leaves the former pages, and nothing else', async () => {
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/index.html'), 'former')
  packageWith(`${WRITE}; throw new Error('broken')`)
  expect(await start()).toBe(false)
  expect(built()).toBe('former')
  expect(readdirSync(folder).filter((name) => name.startsWith('dist-'))).toEqual([])
})

test('a server that stops gives its build up', async () => {
  packageWith('setInterval(() => {}, 1000)')
  const stopping = new AbortController()
  const building = start(stopping.signal)
  stopping.abort()
  expect(await building).toBe(false)
})
