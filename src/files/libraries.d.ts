/** The parts we use of libraries that come without types. */

declare module 'html-to-text' {
  interface Selector {
    selector: string
    format?: string
    options?: Record<string, unknown>
  }
  export interface Node {
    type: string
    name?: string
    data?: string
    attribs?: Record<string, string>
    children?: Node[]
  }
  interface Builder {
    addInline(text: string, options?: { noWordTransform: boolean }): void
    openBlock(options: { leadingLineBreaks: number; isPre?: boolean }): void
    closeBlock(options: { trailingLineBreaks: number; blockTransform?(text: string): string }): void
  }
  export type Formatter = (node: Node, walk: (children: Node[], builder: Builder) => void, builder: Builder) => void
  export function convert(
    html: string,
    options: {
      wordwrap: false
      limits: { maxInputLength: number; maxBaseElements?: number }
      baseElements?: { selectors: string[]; orderBy: 'selectors' }
      formatters?: Record<string, Formatter>
      selectors: Selector[]
    },
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
