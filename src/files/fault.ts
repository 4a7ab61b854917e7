/** Why a file can't be read, in words for whoever uploaded it. */
export class FileFault extends Error {}

/** What one file may take. */
export interface Bounds {
  milliseconds: number
  /** Of the thread that reads it: the heap, and the memory beside the heap. */
  heapMb: number
  externalMb: number
  pages: number
  /** Of its text. */
  characters: number
  /** What the parts of an archive may hold, inflated. */
  inflatedMb: number
  chunks: number
}

export const BOUNDS: Bounds = {
  milliseconds: 120_000,
  heapMb: 512,
  externalMb: 512,
  pages: 5_000,
  characters: 10_000_000,
  inflatedMb: 128,
  chunks: 100_000,
}

/** Throws when a file holds more of something than may be. */
export function atMost(count: number, most: number, what: string): void {
  if (count > most) throw new FileFault(`It holds more than ${most.toLocaleString('en-US')} ${what}.`)
}
