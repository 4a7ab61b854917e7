import { defineConfig, mergeConfig } from 'vitest/config'
import base, { SYSTEM_TESTS } from './vitest.config.ts'

/** Tests of the server as a process, by `npm run test:system`. */
const { test } = mergeConfig(base, {})
export default defineConfig({ test: { ...test, include: [SYSTEM_TESTS], exclude: [] } })
