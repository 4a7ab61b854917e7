import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** PGlite's largest function. V8's optimizing compiler takes 600 MB for it. */
const LARGEST_FUNCTION = 2273

const optimizeFirst = (index: number) => setFlagsFromString(`--wasm-eager-tier-up-function=${index}`)

/**
 * Compiles the embedded engine, which takes a second. The largest function is optimized meanwhile, so that a process that
 * begins with this never has the compiler's memory beside the database's. Synchronous: V8 does it in no other compilation.
 */
export function compileEngine(): WebAssembly.Module {
  const directory = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const bytes = readFileSync(join(directory, 'pglite.wasm'))
  optimizeFirst(LARGEST_FUNCTION)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    optimizeFirst(-1)
  }
}
