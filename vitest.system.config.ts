import { defineConfig, mergeConfig } from 'vitest/config'
import base, { SYSTEM_TESTS } from './vitest.config.ts'

/** The tests of `npm run test:system`. */
const { test } = mergeConfig(base, {})
const exclude = test!.exclude!.filter((pattern: string) => !SYSTEM_TESTS.includes(pattern))
export default defineConfig({ test: { ...test, include: SYSTEM_TESTS, exclude } })
