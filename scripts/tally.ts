import { existsSync, readFileSync } from 'node:fs'

interface TestFile {
  name: string
  status: string
  message: string
  assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
}

interface Results {
  numPassedTests: number
  numPendingTests: number
  testResults: TestFile[]
}

/** The failures of a test file: its failed tests, each with its first error; or the file's own, when it could not be loaded. */
function failuresOf({ name, status, message, assertionResults }: TestFile): string[] {
  const failed = assertionResults.filter((one) => one.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [`${name}: ${message}`] : []
  return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages[0]}`)
}

/** The counts of Vitest's JSON report, and its failures; a missing report is one. */
function countsOf(file: string): { passed: number; failures: string[]; skipped: number } {
  if (!existsSync(file)) return { passed: 0, failures: [`${file} is missing.`], skipped: 0 }
  const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(file, 'utf8')) as Results
  return { passed: numPassedTests, failures: testResults.flatMap(failuresOf), skipped: numPendingTests }
}

// node scripts/tally.ts <suite> <report> [<suite> <report> …]: the failures, a line for each suite, and their sum at the end.
const suites = []
for (let at = 2; at < process.argv.length; at += 2) {
  suites.push({ suite: process.argv[at]!, ...countsOf(process.argv[at + 1]!) })
}
for (const { suite, failures } of suites) {
  for (const failure of failures) console.log(`${suite}: ${failure}\n`)
}
const sum = { passed: 0, failed: 0 }
for (const { suite, passed, failures, skipped } of suites) {
  const failed = failures.length
  console.log(`${suite}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  sum.passed += passed
  sum.failed += failed
}
console.log(`${sum.passed} passed, ${sum.failed} failed`)
if (sum.passed === 0 || sum.failed > 0) process.exitCode = 1
