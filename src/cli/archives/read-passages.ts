import { createReadStream, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parse } from 'csv-parse'
import { CommandError } from '../exit.ts'

/** A passage to import. */
export interface NewPassage {
  text: string
  tags?: string[] | undefined
  metadata?: Record<string, unknown> | undefined
  created_at?: string | undefined
}

/** The longest passage that the server takes. */
const MAX_LENGTH = 100_000
/** The length at which a text of a file is divided, in characters: long enough to say something, short enough to be found. */
const PART_LENGTH = 2_000

/** The paragraphs of a text, joined to parts of at most PART_LENGTH characters; a longer paragraph is cut at MAX_LENGTH. */
function* partsOf(text: string): Generator<string> {
  let part = ''
  for (const paragraph of text.split(/\n\s*\n/).map((one) => one.trim())) {
    if (part !== '' && part.length + paragraph.length > PART_LENGTH) {
      yield part
      part = ''
    }
    part = part === '' ? paragraph : `${part}\n\n${paragraph}`
    for (; part.length > MAX_LENGTH; part = part.slice(MAX_LENGTH)) yield part.slice(0, MAX_LENGTH)
  }
  if (part !== '') yield part
}

async function* readJsonl(file: string): AsyncGenerator<NewPassage> {
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() === '') continue
    try {
      const { text, tags, metadata, created_at } = JSON.parse(line) as NewPassage
      yield { text, tags, metadata, created_at }
    } catch {
      throw new CommandError(`${file}, line ${number} is no JSON object with a "text".`)
    }
  }
}

/** The columns `text`, `tags` (separated by commas) and `created_at`; every other one is metadata. */
async function* readCsv(file: string): AsyncGenerator<NewPassage> {
  const rows = createReadStream(file).pipe(parse({ columns: true, bom: true, skip_empty_lines: true }))
  for await (const { text, tags, created_at, ...metadata } of rows as AsyncIterable<Record<string, string>>) {
    if (text === undefined) throw new CommandError(`${file} has no column "text".`)
    const listed = tags
      ?.split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
    yield { text, tags: listed, created_at: created_at || undefined, metadata }
  }
}

/** The texts of the files of a folder and the folders in it, in the order of their names, each divided at paragraphs. */
function* readFolder(folder: string): Generator<NewPassage> {
  for (const file of globSync('**/*.{txt,md,markdown}', { cwd: folder }).sort()) {
    const parts = [...partsOf(readFileSync(join(folder, file), 'utf8'))]
    for (const [index, text] of parts.entries()) yield { text, metadata: { file, part: index + 1 } }
  }
}

/** The passages in a file (.jsonl, .csv, or any other text) or in the text files of a folder, always in the same order. */
export function readPassages(source: string): AsyncIterable<NewPassage> | Iterable<NewPassage> {
  if (statSync(source).isDirectory()) return readFolder(source)
  if (/\.(jsonl|ndjson)$/i.test(source)) return readJsonl(source)
  if (/\.csv$/i.test(source)) return readCsv(source)
  return [...partsOf(readFileSync(source, 'utf8'))].map((text) => ({ text }))
}
