import { readFileSync, writeFileSync } from 'node:fs'
import { UPSTREAM } from './compare.ts'
import { factsOf } from './facts.ts'

// Draws the facts from the retired server's last OpenAPI document, whose path is the argument: names, no texts.
const [path] = process.argv.slice(2)
if (!path) {
  console.error('Which OpenAPI document? node scripts/compatibility/draw.ts <file>')
  process.exitCode = 1
} else {
  const facts = factsOf(JSON.parse(readFileSync(path, 'utf8')))
  writeFileSync(UPSTREAM, `${JSON.stringify(facts, null, 2)}\n`)
  console.log(`${Object.keys(facts.operations).length} operations, ${Object.keys(facts.shapes).length} shapes`)
}
