import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Compiles `src` to `dist`: Node strips no types of a package that is installed in `node_modules`. */

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist', { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['--project', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' })
for (const path of globSync('**/*.{mjs,py}', { cwd: 'src' })) cpSync(`src/${path}`, `dist/${path}`)

// The compiler rewrites the paths of imports. Those of threads, processes and harnesses are texts to it.
for (const path of globSync('dist/**/*.{js,mjs}')) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll(/'(\.\/[^']+)\.ts'/g, "'$1.js'"))
}

execFileSync('npm', ['run', 'console'], { stdio: 'inherit' })
