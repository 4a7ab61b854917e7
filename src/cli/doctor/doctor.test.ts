import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const doctor = (env: NodeJS.ProcessEnv) =>
  new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    const program = fileURLToPath(new URL('../cairn.ts', import.meta.url))
    const args = ['--disable-warning=ExperimentalWarning', program, 'doctor']
    execFile(process.execPath, args, { env: { PATH: process.env.PATH, ...env } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, lines: stdout.trimEnd().split('\n') }),
    )
  })

test('the doctor names what a server would find, marks problems, and makes nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  try {
    const { code, lines } = await doctor({ CAIRN_DATA_DIR: join(directory, 'data'), CAIRN_SANDBOX: 'off' })
    expect(code).toBe(1)
    expect(lines.map((line) => line.split(/ +/)[1])).toEqual([
      'Cairn',
      'Database',
      'Key',
      'Disk',
      'Providers',
      'Sandbox',
    ])
    expect(lines[5]).toMatch(/^! Sandbox .*CAIRN_SANDBOX=off/)
    expect(lines[1]).toContain('the first start makes it')
    expect(readdirSync(directory)).toEqual([])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('the doctor names a setting that is wrong, and what it must be', async () => {
  const { code, lines } = await doctor({ PORT: 'http' })
  expect([code, lines[1]]).toEqual([1, expect.stringMatching(/^! Settings .*PORT must be a whole number/)])
})

test('the doctor says what to do about a database that does not respond', async () => {
  const { code, lines } = await doctor({ DATABASE_URL: 'postgres://127.0.0.1:1/cairn', CAIRN_SANDBOX: 'off' })
  expect([code, lines[1]]).toEqual([1, expect.stringMatching(/^! Database .*ECONNREFUSED.*: check DATABASE_URL/)])
})
