import { existsSync, readFileSync } from 'node:fs'

interface Results {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

/** The counts of Vitest's JSON report; a test file that could not be loaded is one failure, and so is a missing report. */
function countsOf(file: string): { passed: number; failed: number; skipped: number } {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 }
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results
  const unloaded = results.testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0)
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + unloaded.length,
    skipped: results.numPendingTests,
  }
}

// node scripts/tally.ts <engine> <report> [<engine> <report> …]: one line for each, and their sum at the end.
const sum = { passed: 0, failed: 0 }
for (let at = 2; at < process.argv.length; at += 2) {
  const { passed, failed, skipped } = countsOf(process.argv[at + 1]!)
  console.log(`${process.argv[at]}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  sum.passed += passed
  sum.failed += failed
}
console.log(`${sum.passed} passed, ${sum.failed} failed`)
if (sum.passed === 0 || sum.failed > 0) process.exitCode = 1
