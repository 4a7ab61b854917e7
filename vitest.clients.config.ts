import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** Programs of others against a started server: `npm run clients` fetches them from the registry. */
const { test } = mergeConfig(base, {})
export default defineConfig({
  test: {
    ...test,
    include: ['test/clients/**/*.test.ts'],
    exclude: [],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
})
