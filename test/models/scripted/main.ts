import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startScriptedModel } from './model.ts'

// npm run model [-- --port 8390] [answers.json]: a scripted model; prints every request that it receives as a line of JSON.
const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '8390' } },
  allowPositionals: true,
})
const [file] = positionals
const model = await startScriptedModel({
  port: Number(values.port),
  answers: file === undefined ? [] : JSON.parse(readFileSync(file, 'utf8')),
  onRequest: ({ body }) => console.log(JSON.stringify(body)),
})
console.log(model.url)
