const OPEN = '<think>'
const CLOSE = '</think>'

/** A piece of a text: thinking, or the answer. */
export interface Piece {
  type: 'text' | 'reasoning'
  delta: string
}

/** The length of the longest end of a text with which the closing tag may begin. */
function tailOf(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length
  }
  return 0
}

/**
 * Splits a text that comes in pieces: its beginning between `<think>` tags is thinking, as bare servers send it. A piece that
 * may still become a tag is held back, until `end`.
 */
export function createThinkSplitter() {
  let state: 'start' | 'thinking' | 'behind' | 'text' = 'start'
  let held = ''
  const take = (type: Piece['type'], length: number): Piece[] => {
    const delta = held.slice(0, length)
    held = held.slice(length)
    return delta === '' ? [] : [{ type, delta }]
  }

  function thinking(): Piece[] {
    const close = held.indexOf(CLOSE)
    const certain = held.slice(0, close === -1 ? held.length - tailOf(held) : close).trimEnd()
    const pieces = take('reasoning', certain.length)
    if (close === -1) return pieces
    held = held.slice(held.indexOf(CLOSE) + CLOSE.length)
    state = 'behind'
    return [...pieces, ...text()]
  }

  function text(): Piece[] {
    if (state === 'behind') held = held.trimStart()
    if (held !== '') state = 'text'
    return take('text', held.length)
  }

  return {
    push(delta: string): Piece[] {
      held += delta
      if (state === 'start') {
        const trimmed = held.trimStart()
        if (trimmed.length < OPEN.length && OPEN.startsWith(trimmed)) return []
        state = trimmed.startsWith(OPEN) ? 'thinking' : 'text'
        if (state === 'thinking') held = trimmed.slice(OPEN.length).trimStart()
      }
      return state === 'thinking' ? thinking() : text()
    },
    end: (): Piece[] => take(state === 'thinking' ? 'reasoning' : 'text', held.length),
  }
}

/** The thinking of a text whose template opened it: all before a closing tag. Undefined for a text without one. */
export function unopenedThinking(text: string): { reasoning: string; text: string } | undefined {
  const close = text.indexOf(CLOSE)
  if (close === -1 || text.includes(OPEN)) return undefined
  return { reasoning: text.slice(0, close).trim(), text: text.slice(close + CLOSE.length).trimStart() }
}
