import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The project's TypeScript files, but for generated ones: their path from the root, with `/`, and their text. */
export function sourceFiles(): Map<string, string> {
  const paths = globSync(['{src,scripts,test,bench,examples}/**/*.ts', 'console/src/**/*.{ts,tsx}'], {
    cwd: ROOT,
    exclude: ['console/src/api/generated.ts'],
  })
  return new Map(
    paths
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
      .map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]),
  )
}

/** Prints the findings and sets exit code 1, or reports that there are none. */
export function report(checked: string, findings: readonly string[]): void {
  if (findings.length === 0) {
    console.log(`${checked}: nothing found`)
    return
  }
  for (const finding of findings) console.error(finding)
  console.error(`${checked}: ${findings.length} found`)
  process.exitCode = 1
}
