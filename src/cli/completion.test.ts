import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { useCli } from '../../test/cli.ts'
import { useTestServer } from '../../test/server.ts'
import { pathsAt } from './completion.ts'

const cli = useCli(useTestServer())
const folder = mkdtempSync(join(tmpdir(), 'cairn-complete-'))
beforeAll(() => {
  mkdirSync(join(folder, 'docs'))
  for (const name of ['agents.yaml', '.hidden', 'docs/a.md', 'docs/b.md']) writeFileSync(join(folder, name), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The lines that `cairn complete` writes. */
async function complete(...args: string[]): Promise<string[]> {
  // The package of the completions writes to the console.
  const log = vi.spyOn(console, 'log').mockReturnValue()
  try {
    await cli.cairn(['complete', ...args])
    return log.mock.calls.map(([line]) => String(line))
  } finally {
    log.mockRestore()
  }
}

/** The words that a shell offers for the last of these. */
const offered = async (...words: string[]) =>
  (await complete('--', ...words)).map((line) => line.split('\t')[0]!).slice(0, -1)

test('paths are completed folder by folder, and hidden files where the dot is typed', () => {
  expect(pathsAt(`${folder}/`).sort()).toEqual([`${folder}/agents.yaml`, `${folder}/docs/`])
  expect(pathsAt(`${folder}/do`)).toEqual(['', 'a.md', 'b.md'].map((name) => `${folder}/docs/${name}`))
  expect(pathsAt(`${folder}/.h`)).toEqual([`${folder}/.hidden`])
  expect([pathsAt(`${folder}/none/`), pathsAt(`${folder}/agents.yaml/`)]).toEqual([[], []])
})

test('arguments and options that take files are completed by paths, and others are not', async () => {
  const [start, path] = [`${folder}/ag`, `${folder}/agents.yaml`]
  expect(await offered('agents', 'import', start)).toEqual([path])
  expect(await offered('apply', '-f', start)).toEqual([path])
  expect(await offered('apply', '--file', start)).toEqual([path])
  expect(await offered('files', 'upload', 'Docs', path, start)).toEqual([path])
  expect(await offered('archives', 'import', 'Facts', start)).toEqual([path])
  expect(await offered('archives', 'import', start)).toEqual([])
  expect(await offered('chat', start)).toEqual([])
  expect(await offered('agents', 'im')).toEqual(['import'])
})

test('bash completes words without the package bash-completion', async () => {
  const script = (await complete('bash')).join('\n')
  const typed = 'COMP_WORDS=(cairn agents li) COMP_CWORD=2; __cairn_complete; echo "$COMPREPLY"'
  const answer = `cairn() { [ "$*" = "complete -- agents li" ] && printf 'list\\tlist agents\\n:4\\n'; }`
  const { stdout } = spawnSync('bash', ['--norc', '-c', `${script}\n${answer}\n${typed}`], { encoding: 'utf8' })
  expect(stdout.trim()).toBe('list')
})
