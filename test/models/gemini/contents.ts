import { checkShape, type Json, type Shape } from '../shape.ts'
import { isSealed } from '../signature.ts'
import { broken, checkName, GEMINI, invalid, pathOf } from './refusals.ts'

const BLOB: Shape = { fields: { 'mimeType!': 'string', 'data!': 'string', displayName: 'string' } }

/** What a part holds: one of these. */
const DATA: Record<string, Shape> = {
  text: 'string',
  inlineData: BLOB,
  fileData: { fields: { mimeType: 'string', 'fileUri!': 'string' } },
  functionCall: { fields: { id: 'string', 'name!': 'string', args: 'object' } },
  functionResponse: {
    fields: {
      id: 'string',
      'name!': 'string',
      'response!': 'object',
      parts: { list: { fields: { inlineData: BLOB } } },
    },
  },
  executableCode: 'object',
  codeExecutionResult: 'object',
}

const CONTENT: Shape = {
  fields: {
    role: 'string',
    parts: { list: { fields: { ...DATA, thought: 'boolean', thoughtSignature: 'string', videoMetadata: 'object' } } },
  },
}
export const CONTENTS: Shape = { list: CONTENT }
export { CONTENT }

/** Texts that Gemini takes in place of a signature, for calls of other models. */
const SKIPPED = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

const partsWith = ({ parts = [] }: Json, field: string): Json[] =>
  parts.filter((part: Json) => part[field] !== undefined)

function checkPart(part: Json, at: readonly (string | number)[]): void {
  const held = Object.keys(DATA).filter((field) => part[field] !== undefined)
  const empty = held.length === 0 || (part.text === '' && part.thoughtSignature === undefined)
  if (empty) broken([...at, 'data'], "required oneof field 'data' must have one initialized field")
  if (held.length > 1) {
    invalid(`Invalid value at '${pathOf(at)}' (oneof), oneof field 'data' is already set. Cannot set '${held[1]}'`)
  }
  for (const field of ['functionCall', 'functionResponse']) {
    if (part[field]?.name === '') broken([...at, field, 'name'], 'Name cannot be empty.')
    if (part[field]) checkName(part[field].name, [...at, field, 'name'])
  }
  const signature = part.thoughtSignature
  if (signature === undefined || SKIPPED.includes(signature)) return
  if (!/^[\w+/-]+={0,2}$/.test(signature)) {
    const where = pathOf([...at, 'thoughtSignature'])
    invalid(`Invalid value at '${where}' (TYPE_BYTES), Base64 decoding failed for "${signature}"`)
  }
  if (!isSealed('gemini', signature)) invalid('Corrupted thought signature.')
}

/** Checks that a turn of calls has directly behind it a turn with as many responses. */
function checkTurns(contents: Json[]): void {
  for (const [at, content] of contents.entries()) {
    const [before, next] = [contents[at - 1], contents[at + 1]]
    const calls = partsWith(content, 'functionCall')
    const responses = partsWith(content, 'functionResponse')
    if (calls.length > 0 && before?.role !== 'user' && before?.role !== 'function') {
      invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    if (responses.length > 0 && (!before || partsWith(before, 'functionCall').length === 0)) {
      invalid('Please ensure that function response turn comes immediately after a function call turn.')
    }
    if (calls.length > 0 && partsWith(next ?? {}, 'functionResponse').length !== calls.length) {
      invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
          'function call turn.',
      )
    }
  }
}

/** Checks that in the turn that the request goes on with, the first call of each step is signed. */
function checkSigned(contents: Json[]): void {
  const question = contents.findLastIndex(
    ({ role, parts = [] }) => role !== 'model' && parts.some((part: Json) => part.text),
  )
  for (const [at, content] of contents.entries()) {
    const [first] = partsWith(content, 'functionCall')
    if (at <= question || !first || first.thoughtSignature !== undefined) continue
    invalid(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and ' +
        'missing thought_signature may lead to degraded model performance. Additional data, function call ' +
        `\`default_api:${first.functionCall.name}\` , position ${at + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    )
  }
}

/** Checks the contents of a request. */
export function checkContents(contents: Json[], signed: boolean): void {
  if (contents.length === 0) broken(['contents'], 'contents is not specified')
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== undefined && !['user', 'model', 'function'].includes(role)) {
      invalid('Please use a valid role: user, model.')
    }
    if (!parts?.length) broken(['contents', at, 'parts'], 'contents.parts must not be empty.')
    for (const [index, part] of parts.entries()) checkPart(part, ['contents', at, 'parts', index])
  }
  checkTurns(contents)
  if (signed) checkSigned(contents)
}

/** Checks the system instruction: it has texts only. */
export function checkInstruction(instruction: Json): void {
  if (instruction === undefined) return
  checkShape(instruction, CONTENT, GEMINI, ['systemInstruction'])
  if (!instruction.parts?.length) broken(['systemInstruction', 'parts'], 'contents.parts must not be empty.')
  for (const [at, part] of instruction.parts.entries()) checkPart(part, ['systemInstruction', 'parts', at])
}
