import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that start processes: servers to kill, sandboxes, browsers. They take minutes, by `npm run test:system`. */
export const SYSTEM_TESTS = ['test/{system,console}/**/*.test.ts', '**/*.system.test.ts']

/** Tests of no database, or of the embedded one alone: on a PostgreSQL server they would say nothing else. */
const ON_ONE_ENGINE = [
  ...['embed', 'files', 'lib', 'llm', 'mcp', 'resources/tools/source', 'sandbox'].map((folder) => `src/${folder}/**`),
  'src/db/engine/{compile-engine,embedded}.system.test.ts',
  'src/http/console/**',
  'test/models/**',
  'console/**',
]

const onServer = process.env.TEST_DATABASE_URL !== undefined

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...SYSTEM_TESTS,
      'test/{clients,image,install}/**',
      ...(onServer ? ON_ONE_ENGINE : []),
    ],
    // A process that runs one file after another has the database engine compiled, and compiles it ever better.
    isolate: false,
    // One more than two cores: workers wait for timers and for other processes now and then. Each holds about 0.5 GB.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
})
