/**
 * Texts as bytes, one behind the other, outside of the heap: what goes out needs never be objects that garbage collection
 * moves and marks. Sheets are used again and again.
 */
export interface Sheet {
  bytes: Buffer
  length: number
}

/** Where something is on a sheet, in bytes. */
export interface Place {
  from: number
  to: number
}

/** How long sheets are, in bytes: as many times `FACTOR` as it takes. */
export const SHORTEST = 1 << 19
const FACTOR = 4

/** So many bytes are kept for others, in all. */
const MOST = 24 << 20

const NOTHING = Buffer.alloc(0)
const blank = new Map<number, Buffer[]>()
let kept = 0

function take(length: number): Buffer {
  const bytes = blank.get(length)?.pop()
  kept -= bytes?.length ?? 0
  return bytes ?? Buffer.allocUnsafeSlow(length)
}

function leave(bytes: Buffer): void {
  if (bytes.length === 0 || kept + bytes.length > MOST) return
  const others = blank.get(bytes.length)
  if (others) others.push(bytes)
  else blank.set(bytes.length, [bytes])
  kept += bytes.length
}

/** The length of a sheet that holds so many bytes. */
function lengthFor(needed: number): number {
  let length = SHORTEST
  while (length < needed) length *= FACTOR
  return length
}

/** An empty sheet with room for so many bytes. One without takes no memory before something is written to it. */
export const takeSheet = (room = 0): Sheet => ({ bytes: room > 0 ? take(lengthFor(room)) : NOTHING, length: 0 })

/** Leaves a sheet to others. Nothing that was on it may be read afterwards. */
export function leaveSheet(sheet: Sheet): void {
  const { bytes } = sheet
  Object.assign(sheet, { bytes: NOTHING, length: 0 })
  leave(bytes)
}

/** Has the sheet hold so many bytes more. */
function makeRoom(sheet: Sheet, more: number): void {
  const needed = sheet.length + more
  if (needed <= sheet.bytes.length) return
  const longer = take(lengthFor(needed))
  sheet.bytes.copy(longer, 0, 0, sheet.length)
  leave(sheet.bytes)
  sheet.bytes = longer
}

/** Writes a text, in UTF-8, behind what is there. */
export function writeText(sheet: Sheet, text: string): Place {
  // A unit of UTF-16 takes three bytes at most.
  makeRoom(sheet, 3 * text.length)
  const from = sheet.length
  sheet.length += sheet.bytes.write(text, from)
  return { from, to: sheet.length }
}

/** Writes bytes, or some of them, of any sheet or of none, behind what is there. */
export function writeBytes(sheet: Sheet, bytes: Buffer, start = 0, end = bytes.length): void {
  makeRoom(sheet, end - start)
  sheet.length += bytes.copy(sheet.bytes, sheet.length, start, end)
}

/** What is at a place, or all of it, as long as nothing more is written. */
export const bytesOf = ({ bytes, length }: Sheet, { from, to }: Place = { from: 0, to: length }): Buffer =>
  bytes.subarray(from, to)
