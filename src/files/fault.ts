/** The reason why a file can't be read, for the caller that uploaded it. */
export class FileFault extends Error {}

/** The limits of reading one file. */
export interface Bounds {
  milliseconds: number
  /** The heap of the thread that reads the file, and the thread's memory outside the heap. */
  heapMb: number
  externalMb: number
  pages: number
  /** The characters of the text. */
  characters: number
  /** The size of an archive's parts, inflated. */
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

/** Throws a FileFault when a file has more than `most` of `what`. */
export function atMost(count: number, most: number, what: string): void {
  if (count > most) throw new FileFault(`It holds more than ${most.toLocaleString('en-US')} ${what}.`)
}
