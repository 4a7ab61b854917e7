import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkInstalled } from './installed.ts'
import { createPackages } from './packages.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-installed-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('links that lead out of installed packages are removed, and those within stay', async () => {
  mkdirSync(join(root, 'set/deep'), { recursive: true })
  writeFileSync(join(root, 'secret'), 'outside')
  writeFileSync(join(root, 'set/file'), 'inside')
  const links = {
    in: '../file',
    out: '../../secret',
    root: '/etc',
    gone: 'nothing',
    self: '..',
    sideways: `${root}/set`,
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, 'set/deep', name))
  expect(await checkInstalled(join(root, 'set'))).toBeGreaterThan(0)
  expect(readdirSync(join(root, 'set/deep'))).toEqual(['in'])
})

const packagesOf = (name: string) => ({ organizationId: 'o', language: 'python' as const, packages: [{ name }] })

test('sets that were not used for long make room for others of their organization alone', async () => {
  const packages = createPackages(root, async (_language, [one], directory) =>
    writeFileSync(join(directory, one!.name), ''),
  )
  const first = (await packages.directoryFor(packagesOf('one')))!
  const other = (await packages.directoryFor({ ...packagesOf('one'), organizationId: 'other' }))!
  for (const directory of [first, other]) {
    writeFileSync(join(directory, '../size'), String(3 * 1024 ** 3))
    utimesSync(join(directory, '..'), 0, 0)
  }
  await packages.directoryFor(packagesOf('two'))
  expect(readdirSync(join(root, 'o'))).toHaveLength(1)
  expect(readdirSync(join(root, 'other'))).toHaveLength(1)
})

test('a failed installation leaves nothing, and the next call tries again', async () => {
  let failures = 1
  const packages = createPackages(root, async (_language, _packages, directory) => {
    writeFileSync(join(directory, 'half'), '')
    if (failures-- > 0) throw new Error('no space')
  })
  await expect(packages.directoryFor(packagesOf('one'))).rejects.toThrow("can't be installed: no space")
  expect(readdirSync(join(root, 'o'))).toEqual([])
  expect(readdirSync((await packages.directoryFor(packagesOf('one')))!)).toEqual(['half'])
})
