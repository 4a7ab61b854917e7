import { Command } from 'commander'
import type { Passage } from '../../resources/passages/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { findId } from '../find.ts'
import { collect } from '../list-options.ts'
import { readInput } from '../prompt.ts'

interface Options {
  tag?: string[]
  create?: boolean
}

async function add(cli: Cli, archive: string, given: string | undefined, { tag, create }: Options): Promise<void> {
  const client = cli.client()
  const route = path`/v1/archives/${await findId(client, 'archive', archive, create)}/passages`
  const passage = await client.post<Passage>(route, { text: given ?? (await readInput(cli)), tags: tag })
  cli.show(passage, () => passage.id)
}

/** `cairn archives add` */
export const addPassage = (act: Act) =>
  new Command('add')
    .description('add a passage to an archive, and write its id')
    .argument('<archive>', 'its name or id')
    .argument('[text]', 'the text (default: the standard input)')
    .option('--create', 'create the archive where there is none of this name')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .addHelpText(
      'after',
      '\nExample:\n  cairn archives add Facts "Ada waters the garden on Mondays." --tag home --create',
    )
    .action(act(add))
