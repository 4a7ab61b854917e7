/** A piece of the arguments of a call: of the value of a chosen argument (`of`), or of the JSON of the other arguments. */
export interface ArgumentPiece {
  of?: string | undefined
  text: string
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Decodes the inside of a JSON string one character at a time: returns text once an escape, or a pair, is whole. */
function createDecoder() {
  let pending = ''
  let high = ''
  return (character: string): string => {
    let unit = character
    if (pending !== '' || character === '\\') {
      pending += character
      if (pending.length === 1 || (pending[1] === 'u' && pending.length < 6)) return ''
      unit =
        pending[1] === 'u'
          ? String.fromCharCode(Number.parseInt(pending.slice(2), 16))
          : (ESCAPES[pending[1]!] ?? pending[1]!)
      pending = ''
    }
    const whole = high + unit
    high = ''
    if (!/[\uD800-\uDBFF]$/.test(whole)) return whole
    high = whole
    return ''
  }
}

interface Splitter {
  names: readonly string[]
  /** Behind the last brace, all text is passed over. */
  state: 'key' | 'colon' | 'value' | 'end'
  /** The present key, as JSON. */
  key: string
  /** The chosen argument of the present value. */
  chosen: string | undefined
  /** Whether the present value is a chosen text, which is decoded. */
  isText: boolean
  decode: (character: string) => string
  depth: number
  inText: boolean
  escaped: boolean
  /** The number of arguments that were not chosen. */
  others: number
}

/** Ends a value, or the object. Returns the JSON that this adds to the other arguments. */
function endValue(splitter: Splitter, character: string): string {
  splitter.key = ''
  splitter.state = character === '}' ? 'end' : 'key'
  if (splitter.state === 'key') return ''
  return splitter.others === 0 ? '{}' : '}'
}

/** The name that a key stands for; the key itself where it is no JSON. */
function nameOf(key: string): string {
  try {
    return JSON.parse(key)
  } catch {
    return key
  }
}

function takeKey(splitter: Splitter, character: string): string {
  if (splitter.key === '' && character === '}') return endValue(splitter, character)
  if (splitter.key !== '' || character === '"') splitter.key += character
  if (splitter.key.length > 1 && character === '"' && !splitter.escaped) splitter.state = 'colon'
  splitter.escaped = character === '\\' && !splitter.escaped
  return ''
}

function beginValue(splitter: Splitter): string {
  const name = nameOf(splitter.key)
  splitter.chosen = splitter.names.includes(name) ? name : undefined
  splitter.state = 'value'
  splitter.isText = false
  splitter.decode = createDecoder()
  return splitter.chosen === undefined ? `${splitter.others++ === 0 ? '{' : ', '}${splitter.key}: ` : ''
}

function takeText(splitter: Splitter, character: string): string {
  if (character === '"' && !splitter.escaped) splitter.inText = false
  splitter.escaped = character === '\\' && !splitter.escaped
  if (!splitter.isText) return character
  return splitter.inText ? splitter.decode(character) : ''
}

function takeValue(splitter: Splitter, character: string): string {
  if (splitter.depth === 0 && /\s/.test(character)) return ''
  if (character === '"') {
    splitter.inText = true
    splitter.escaped = false
    splitter.isText = splitter.depth === 0 && splitter.chosen !== undefined
    return splitter.isText ? '' : character
  }
  if ('{['.includes(character)) splitter.depth++
  if ('}]'.includes(character)) splitter.depth--
  return character
}

function take(splitter: Splitter, character: string): ArgumentPiece {
  const { state, chosen: of, inText, depth } = splitter
  if (state === 'key') return { text: takeKey(splitter, character) }
  if (state === 'colon') return { text: character === ':' ? beginValue(splitter) : '' }
  if (state === 'end') return { text: '' }
  if (inText) return { of, text: takeText(splitter, character) }
  if (depth === 0 && ',}'.includes(character)) return { text: endValue(splitter, character) }
  return { of, text: takeValue(splitter, character) }
}

/**
 * Splits the JSON object of a call's arguments while it comes in: the values of the arguments in `names`, texts decoded, and the
 * JSON of all others. Each delta takes time in proportion to its length. Never throws: a text that is no JSON gives some pieces.
 */
export function createArgumentSplitter(names: readonly string[]): (delta: string) => ArgumentPiece[] {
  const splitter: Splitter = {
    names,
    state: 'key',
    key: '',
    chosen: undefined,
    isText: false,
    decode: createDecoder(),
    depth: 0,
    inText: false,
    escaped: false,
    others: 0,
  }
  return (delta) => {
    const pieces: ArgumentPiece[] = []
    for (let at = 0; at < delta.length; at++) {
      const piece = take(splitter, delta[at]!)
      const last = pieces.at(-1)
      if (piece.text === '') continue
      if (last && last.of === piece.of) last.text += piece.text
      else pieces.push(piece)
    }
    return pieces
  }
}
