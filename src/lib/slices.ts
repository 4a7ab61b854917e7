import { leaveSheet, type Sheet, takeSheet } from './sheet.ts'

/** A text whose parts lie here and there on a sheet, some of them for several places in it. */
export interface Slices {
  sheet: Sheet
  /** Where each part begins and where it ends, one number after the other, in bytes. */
  bounds: number[]
  /** In bytes. */
  length: number
}

/** A text without parts yet. */
export const slicesOf = (sheet: Sheet): Slices => ({ sheet, bounds: [], length: 0 })

/** Adds what lies on the sheet from here to there. */
export function addSlice(text: Slices, from: number, to: number): void {
  if (from === to) return
  const { bounds } = text
  if (bounds[bounds.length - 1] === from) bounds[bounds.length - 1] = to
  else bounds.push(from, to)
  text.length += to - from
}

/** Copies the text from its beginning on, with each call as much as there is room for. Gives the number of bytes; 0 at the end. */
export function reader({ sheet, bounds }: Slices): (into: Buffer) => number {
  let n = 0
  let at = bounds[0]
  return (into) => {
    let filled = 0
    while (n < bounds.length && filled < into.length) {
      const end = bounds[n + 1]!
      const copied = sheet.bytes.copy(into, filled, at, end)
      filled += copied
      at! += copied
      if (at === end) {
        n += 2
        at = bounds[n]
      }
    }
    return filled
  }
}

/** The text in one piece, on another sheet. That of its parts is left to others. */
export function join(text: Slices): Sheet {
  const whole = takeSheet(text.length)
  whole.length = reader(text)(whole.bytes)
  leaveSheet(text.sheet)
  return whole
}
