export interface ScriptedCall {
  name: string
  arguments: Record<string, unknown>
}

/** Calls in a text, or the problem of the first call that can't be made. */
export type ScriptedCalls = { calls: ScriptedCall[]; problem?: undefined } | { problem: string }

const EXAMPLE = '!call tool_name {"name": "value"}'

/** The index behind the JSON object that begins at `start`, or undefined if the object has no end. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return undefined
}

/** The arguments, or the message of the error in their JSON. */
function parsed(json: string): Record<string, unknown> | string {
  try {
    return JSON.parse(json)
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * The calls that a text names as `!call tool_name {"name": "value"}`, in their order. A call without an object has no
 * arguments. Takes time in proportion to the length of the text.
 */
export function callsIn(text: string): ScriptedCalls {
  const calls: ScriptedCall[] = []
  const command = /(?<!\S)!call(?:[ \t]+([\w-]+)|(?!\S))[ \t]*/g
  for (let match = command.exec(text); match; match = command.exec(text)) {
    const name = match[1]
    if (name === undefined) return { problem: `"!call" lacks the name of a tool. Write ${EXAMPLE}.` }
    const start = command.lastIndex
    if (text[start] !== '{') {
      calls.push({ name, arguments: {} })
      continue
    }
    const end = endOfObject(text, start)
    const found = end === undefined ? 'the object has no closing brace' : parsed(text.slice(start, end))
    if (typeof found === 'string') {
      return { problem: `The arguments of ${name} are no JSON object: ${found}. Write ${EXAMPLE}.` }
    }
    calls.push({ name, arguments: found })
    command.lastIndex = end!
  }
  return { calls }
}
