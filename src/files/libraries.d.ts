/** The parts we use of libraries that come without types. */

declare module 'html-to-text' {
  interface Selector {
    selector: string
    format?: string
    options?: Record<string, unknown>
  }
  export function convert(
    html: string,
    options: { wordwrap: false; limits: { maxInputLength: number }; selectors: Selector[] },
  ): string
}

declare module 'yauzl' {
  interface Entry {
    fileName: string
  }
  interface ZipFile {
    entryCount: number
    eachEntry(): AsyncIterable<Entry>
    openReadStreamPromise(entry: Entry): Promise<import('node:stream').Readable>
  }
  export function fromBufferPromise(bytes: Buffer, options: { lazyEntries: true }): Promise<ZipFile>
}
