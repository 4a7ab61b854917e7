import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
import { createValidatorCompiler } from '../../http/validation.ts'
import { validationIssues } from '../../http/validation-messages.ts'
import { shapes } from '../../resources/shapes.ts'
import { wrongUse } from '../exit.ts'
import { AgentsFile, type FiledAgent } from './file-schema.ts'

/** The offset in the file of a field such as `agents[0].blocks[1].value`; of its parent where the field is missing. */
function offsetOf(document: Document, field: string): number {
  const steps = field.split(/\.|\[|\]/).filter((step) => step !== '')
  for (; steps.length > 0; steps.pop()) {
    const parent = document.getIn(steps.slice(0, -1), true)
    const last = steps.at(-1)!
    // The place of a field in a map is that of its key.
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === last) : undefined
    const node = pair?.key ?? document.getIn(steps, true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

/** What is wrong with a value under the schema of files of agents. */
function issuesOf(value: unknown) {
  const validate = createValidatorCompiler(shapes)({ schema: AgentsFile, method: 'POST', url: '/', httpPart: 'body' })
  // The compiler returns the errors of Ajv beside the error, where the framework's type has none.
  const { error } = validate(value) as { error?: { validation: Parameters<typeof validationIssues>[0] } }
  return validationIssues(error?.validation ?? [], 'body')
}

/** Names that stand several times in the file. */
const repeated = (names: readonly string[]) => [...new Set(names.filter((name, n) => names.indexOf(name) !== n))]

/**
 * Reads the agents in a file of YAML or JSON. Throws, with the lines and columns, for syntax that is wrong, unknown fields and
 * values that a server would refuse, and for two agents of one name or two blocks of one label.
 */
export function readAgentsFile(directory: string, file: string): FiledAgent[] {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(resolve(directory, file), 'utf8'), { lineCounter: lines })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [error] = document.errors
  if (error) throw wrongUse(`${at(error.pos[0])}: ${error.message.split('\n')[0]}`)
  const value = document.toJS() as { agents: FiledAgent[] }
  const issues = issuesOf(value)
  if (issues.length > 0) {
    throw wrongUse(
      issues
        .map(({ field, message }) => `${at(offsetOf(document, field))}: ${field || 'the file'} ${message}`)
        .join('\n'),
    )
  }
  const twice = [
    ...repeated(value.agents.map(({ name }) => name)).map((name) => `agent "${name}"`),
    ...value.agents.flatMap(({ name, blocks = [] }) =>
      repeated(blocks.map(({ label }) => label)).map((label) => `block "${label}" of agent "${name}"`),
    ),
  ]
  if (twice.length > 0) throw wrongUse(`${file} has each of these twice: ${twice.join(', ')}.`)
  return value.agents
}
