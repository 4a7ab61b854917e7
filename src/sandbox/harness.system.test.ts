import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jobOf } from './job.ts'

const here = (name: string) => join(import.meta.dirname, name)
const LIMITS = { timeMs: 10_000, memory: 1 << 30, disk: 1 << 24, processes: 1_000 }

/** The result of a tool in Python whose harness begins with these lines. */
function resultOf(lines: string, code: string, args: object): unknown {
  const directory = mkdtempSync(join(tmpdir(), 'harness-'))
  const [job, result, harness] = ['job', 'result', 'harness.py'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  try {
    const call = { organizationId: 'org', language: 'python' as const, code, name: 'f', args: { ...args }, env: {} }
    writeFileSync(job, JSON.stringify({ ...jobOf(call, LIMITS, []), nonce: '' }))
    writeFileSync(harness, lines + readFileSync(here('harness.py'), 'utf8'))
    execFileSync('python3', [here('driver.py'), job, result, 'python3', harness])
    return JSON.parse(readFileSync(result, 'utf8'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test('tools run the same in a Python whose private JSON functions are others', () => {
  const code = 'def f(a, t):\n    return {"a": a + 1, "t": t, "all": [None, True, 1.5]}\n'
  const run = (lines: string) => resultOf(lines, code, { a: 1, t: 'ü\n"' })
  const own = run('')
  expect(own).toMatchObject({ status: 'success', value: { a: 2, t: 'ü\n"', all: [null, true, 1.5] } })
  expect(run('import sys; sys.modules["_json"] = None\n')).toEqual(own)
  const changed = 'import types, sys, json; sys.modules["_json"] = types.SimpleNamespace(make_scanner=lambda: 0)\n'
  expect(run(changed)).toEqual(own)
})
