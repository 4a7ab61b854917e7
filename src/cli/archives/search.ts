import { Command, Option } from 'commander'
import type { Passage } from '../../resources/passages/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { findId } from '../find.ts'
import { collect, wholeNumber } from '../list-options.ts'

interface Options {
  mode: string
  tag?: string[]
  limit: number
}

interface Hit {
  passage: Passage
  score: number
  metadata: { indexes: string[] }
}

async function search(cli: Cli, archive: string, words: string[], { mode, tag, limit }: Options): Promise<void> {
  const client = cli.client()
  const hits = await client.post<Hit[]>('/v1/passages/search', {
    archive_id: await findId(client, 'archive', archive),
    query: words.join(' '),
    search_mode: mode,
    tags: tag,
    limit,
  })
  const lines = hits.flatMap(({ passage, score, metadata }, n) => [
    ...(n > 0 ? [''] : []),
    cli.style('dim', [score.toFixed(3), metadata.indexes.join('+'), ...passage.tags, passage.id].join('  ')),
    passage.text,
  ])
  cli.show(hits, () => lines.join('\n') || 'Nothing was found.')
}

/** `cairn archives search` */
export const searchArchive = (act: Act) =>
  new Command('search')
    .description('find passages of an archive, the best first')
    .argument('<archive>', 'its name or id')
    .argument('<words...>')
    .addOption(new Option('--mode <mode>', 'by what').choices(['vector', 'fts', 'hybrid']).default('hybrid'))
    .option('--tag <tag>', 'passages with this tag; several: with any of them', collect)
    .option('--limit <count>', 'how many at most', wholeNumber, 10)
    .addHelpText('after', '\nExample:\n  cairn archives search Facts when is the invoice due --tag money')
    .action(act(search))
