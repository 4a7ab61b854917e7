import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'
import { ApiError, inBody } from '../../lib/errors.ts'

/** Where a text stops being JSON, in words; the runtime's own parser doesn't always say where. */
function whereBroken(text: string): string {
  let place: string | undefined
  try {
    visit(
      text,
      {
        onError(code: ParseErrorCode, _offset, _length, line, character) {
          const words = printParseErrorCode(code).replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
          place ??= `at line ${line + 1}, column ${character + 1}: ${words.toLowerCase()}`
        },
      },
      { disallowComments: true },
    )
  } catch {
    // Nested too deeply to be looked through.
  }
  return place ?? 'somewhere: it is nested too deeply to tell where'
}

/**
 * Parses an agent file. The JSON may be inside a JSON string, as in some files in the wild. 400, with line and column, for text that isn't JSON.
 */
export function parseAgentFile(text: string): unknown {
  let value: unknown = text
  for (let inside = 0; typeof value === 'string'; inside++) {
    try {
      value = JSON.parse(value)
    } catch {
      const which = inside > 0 ? 'the text inside the JSON string is not JSON' : 'is not JSON'
      const message = `${which} ${whereBroken(value as string)}`
      throw new ApiError('malformed_json', `file: ${message}.`, { issues: [inBody('file', message)] })
    }
  }
  return value
}
