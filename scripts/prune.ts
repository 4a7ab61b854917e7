import { globSync, rmSync } from 'node:fs'

/** Runs after an installation, with `node_modules` in the current directory. */

/** What no program loads: the headers of Node, the tokenizer's forms that `src` doesn't import, and source maps. */
const UNUSED = ['node-*/include', 'gpt-tokenizer/{cjs,data,dist,src}', '**/*.{js,cjs,mjs,ts,cts,mts,css}.map']

for (const path of globSync(UNUSED, { cwd: 'node_modules' })) {
  rmSync(`node_modules/${path}`, { recursive: true, force: true })
}
