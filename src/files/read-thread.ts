import { fstatSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { atMost, type Bounds, FileFault } from './fault.ts'
import { countLines } from './lines.ts'
import type { Reading, ToRead } from './read.ts'
import { decodeText } from './text.ts'
import type { FileType } from './types.ts'

/** The thread that reads one file. */

function bytesOf(from: Exclude<ToRead['from'], { text: string }>): Buffer {
  if ('bytes' in from) return Buffer.from(from.bytes)
  const { fd } = from
  const bytes = Buffer.allocUnsafe(fstatSync(fd).size)
  for (let at = 0; at < bytes.length; ) at += readSync(fd, bytes, at, bytes.length - at, at)
  return bytes
}

/** Loads only the parser of the format: loading all parsers takes longer than reading most files. */
async function textOf(bytes: Buffer, { format, base }: FileType, bounds: Bounds): Promise<string> {
  if (format === 'pdf') return (await import('./pdf.ts')).pdfToText(bytes, bounds)
  if (format === 'docx') return (await import('./docx.ts')).docxToText(bytes, bounds)
  if (format === 'page') return (await import('./page.ts')).pageToMarkdown(bytes.toString(), base)
  const text = decodeText(bytes)
  return format === 'html' ? (await import('./html.ts')).htmlToText(text) : text
}

/** The chunks of a text. A token is at least one byte: a short text is one chunk, without the tokenizer, which is slow to load. */
async function chunksOf(text: string, type: FileType, size: number, bounds: Bounds): Promise<string[]> {
  if (type.format !== 'csv' && Buffer.byteLength(text) <= size) return [text.trim()]
  const { split } = await import('./split.ts')
  return split(text, type, size, bounds)
}

async function read({ from, type, kind, size }: ToRead, bounds: Bounds): Promise<Reading> {
  try {
    // An extracted text may contain characters that the database refuses.
    const text =
      'text' in from ? from.text : (await textOf(bytesOf(from), type, bounds)).replaceAll('\0', '').toWellFormed()
    atMost(text.length, bounds.characters, 'characters of text')
    if (text.trim() === '') throw new FileFault('It holds no text. Of scanned pages only the images are there.')
    const chunks = size === undefined ? [] : await chunksOf(text, type, size, bounds)
    return { text, chunks, lines: countLines(text, kind) }
  } catch (error) {
    if (error instanceof FileFault) return { fault: error.message }
    if (error instanceof RangeError) return { fault: 'It is nested too deeply to be read.' }
    return { fault: `It could not be read: ${(error as Error).message}` }
  }
}

const { job, bounds } = workerData as { job: ToRead; bounds: Bounds }
parentPort!.postMessage(await read(job, bounds))
