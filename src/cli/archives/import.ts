import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import cliProgress from 'cli-progress'
import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { wrongUse } from '../exit.ts'
import { findId } from '../find.ts'
import { collect } from '../list-options.ts'
import { openState } from './import-state.ts'
import { type NewPassage, readPassages } from './read-passages.ts'

/** The passages of one request. */
const BATCH = 100

interface Options {
  tag?: string[]
  restart?: boolean
  create?: boolean
}

/** Batches of passages, in order. */
async function* batchesOf(passages: AsyncIterable<NewPassage> | Iterable<NewPassage>): AsyncGenerator<NewPassage[]> {
  let batch: NewPassage[] = []
  for await (const passage of passages) {
    batch.push(passage)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function countPassages(source: string): Promise<number> {
  let count = 0
  for await (const _ of readPassages(source)) count++
  return count
}

async function importPassagesOf(
  cli: Cli,
  archive: string,
  given: string,
  { tag = [], restart, create }: Options,
): Promise<void> {
  const client = cli.client()
  const archiveId = await findId(client, 'archive', archive, create)
  const source = resolve(cli.settings.directory, given)
  const stored = openState(cli.settings, archiveId, source, ...tag)
  if (restart) stored.remove()
  const resumed = stored.read()
  const total = await countPassages(source)
  const progress = new cliProgress.SingleBar(
    {
      format: '{bar} {value} of {total} passages, {eta_formatted} left',
      stream: cli.terminal.stderr as NodeJS.WriteStream,
    },
    cliProgress.Presets.shades_classic,
  )
  if (cli.terminal.stderr.isTTY) progress.start(total, resumed.done)
  if (resumed.done > 0) cli.note(`Going on after ${resumed.done} passages.`)
  const hash = createHash('sha256')
  let state = resumed
  let position = 0
  try {
    for await (const batch of batchesOf(readPassages(source))) {
      hash.update(JSON.stringify(batch))
      const digest = hash.copy().digest('hex')
      position += batch.length
      if (position < resumed.done || (position === resumed.done && digest === resumed.digest)) continue
      if (position - batch.length < resumed.done) {
        throw wrongUse(`${given} has changed since its import was interrupted. Add --restart to import all of it.`)
      }
      // The state is there before the request: one whose response is lost is sent again under the same name.
      stored.write(state)
      const passages = batch.map((passage) => ({ ...passage, tags: [...(passage.tags ?? []), ...tag] }))
      await client.post(
        path`/v1/archives/${archiveId}/passages/batch`,
        { passages },
        { 'idempotency-key': `${state.id}-${state.done}` },
      )
      state = { id: state.id, done: position, digest }
      stored.write(state)
      if (cli.terminal.stderr.isTTY) progress.update(position)
    }
  } finally {
    progress.stop()
  }
  stored.remove()
  cli.show({ archive_id: archiveId, passages: state.done }, () => `Imported ${state.done} passages.`)
}

/** `cairn archives import` */
export const importPassages = (act: Act) =>
  new Command('import')
    .description('add the passages in a file or a folder to an archive')
    .argument('<archive>', 'its name or id')
    .argument('<source>', 'a file (.jsonl, .csv, .md, .txt) or a folder of text files')
    .option('--create', 'create the archive where there is none of this name')
    .option('--tag <tag>', 'a tag of every passage; may be repeated', collect)
    .option('--restart', 'forget an interrupted import of this source')
    .addHelpText(
      'after',
      `
A line of .jsonl has "text", and may have "tags", "metadata" and "created_at"; so do the columns of .csv, whose other columns are
metadata. Texts are divided at paragraphs. An import that was interrupted goes on where it stopped, and repeats nothing.

Examples:
  cairn archives import Facts facts.jsonl
  cairn archives import Manual docs/ --tag manual`,
    )
    .action(act(importPassagesOf))
