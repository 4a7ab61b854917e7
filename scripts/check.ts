import { spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODE = 'node --disable-warning=ExperimentalWarning'

interface Step {
  name: string
  command: string
  remedy: string
}

const STATIC_STEPS: readonly Step[] = [
  {
    name: 'format and lint',
    command: 'biome check --error-on-warnings',
    remedy: '`npx biome check --write` mends most of it; the rest is named above.',
  },
  {
    name: 'types',
    command: 'tsc --project .',
    remedy: 'mend the types named above; `npx tsc` checks them alone.',
  },
  {
    name: 'types of the console',
    command: 'npm run --silent --workspace console check',
    remedy: 'mend the types named above; what the API returns comes from openapi.json.',
  },
  {
    name: 'boundaries',
    command: `${NODE} scripts/boundaries.ts`,
    remedy: 'each line above says how; who may import whom stands in scripts/house.ts.',
  },
  {
    name: 'sizes',
    command: `${NODE} scripts/sizes.ts`,
    remedy: 'split the files named above by what they do.',
  },
  {
    name: 'functions',
    command: `${NODE} scripts/functions.ts`,
    remedy: 'split the functions named above by what they do.',
  },
  {
    name: 'state',
    command: `${NODE} scripts/state.ts`,
    remedy: 'each line above says how.',
  },
  {
    name: 'install size',
    command: `${NODE} scripts/install-size.ts`,
    remedy:
      '`npm ci` where the packages are older than package-lock.json; else find a lighter package for the same job.',
  },
  {
    name: 'openapi',
    command: `${NODE} scripts/openapi.ts`,
    remedy: '`npm run openapi`, then look at what changed for callers before you commit it.',
  },
  {
    name: 'compatibility',
    command: `${NODE} scripts/compatibility.ts`,
    remedy: '`npm run compatibility`; what has no reason gets one in scripts/compatibility/reasons.ts.',
  },
]

const TESTS: readonly Step[] = [
  {
    name: 'tests',
    command: 'vitest run',
    remedy: '`npx vitest run <file>` runs one file; `npx vitest <file>` runs it at every change.',
  },
  {
    name: 'tests of the server as a process',
    command: 'npm run --silent test:system',
    remedy: '`npm run test:system -- <file>` runs one file.',
  },
]

/** Runs a step with the project's own tools and reports its duration. */
function passes({ name, command, remedy }: Step): boolean {
  console.log(`\n— ${name}`)
  const start = performance.now()
  const PATH = `${ROOT}node_modules/.bin${delimiter}${process.env.PATH}`
  const { status } = spawnSync(command, { cwd: ROOT, shell: true, stdio: 'inherit', env: { ...process.env, PATH } })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`— ${name}: ${status === 0 ? 'ok' : 'failed'} in ${seconds} s`)
  if (status !== 0) console.error(`How to mend it: ${remedy}`)
  return status === 0
}

// `--static` leaves the tests out.
const steps = process.argv.includes('--static') ? STATIC_STEPS : [...STATIC_STEPS, ...TESTS]
if (!steps.every(passes)) process.exitCode = 1
