import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What fetches from the registry, by `npm run clients` and `npm run image`: programs of others against a started server, and installations. */
const { test } = mergeConfig(base, {})
export default defineConfig({
  test: {
    ...test,
    include: ['test/{clients,image,install}/**/*.test.ts'],
    exclude: [],
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
})
