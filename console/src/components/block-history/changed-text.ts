import { diffWordsWithSpace } from 'diff'

/** A part of a text that a change added, removed or left. */
export interface Part {
  kind: 'added' | 'removed' | 'same'
  text: string
}

/** Beyond so many differing words two texts are shown as a whole: to compare them would block the page. */
const MOST_EDITS = 800
/** How many characters of an unchanged part are shown beside a change. */
const CONTEXT = 80

/** What a change made of a text, word by word. */
export function changedWords(before: string, after: string): Part[] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ]
  return parts
    .filter(({ value }) => value !== '')
    .map(({ added, removed, value }) => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text: value }))
}

/** The parts with long unchanged ones shortened to what is beside a change. */
export function abridged(parts: Part[]): Part[] {
  return parts.map(({ kind, text }, index) => {
    const head = index === 0 ? 0 : CONTEXT
    const tail = index === parts.length - 1 ? 0 : CONTEXT
    // Code points, so that no character is cut in half.
    const characters = [...text]
    if (kind !== 'same' || parts.length === 1 || characters.length <= head + tail + CONTEXT) return { kind, text }
    const shown = [characters.slice(0, head), [' … '], characters.slice(characters.length - tail)]
    return { kind, text: shown.flat().join('') }
  })
}
