import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { Block } from '../../resources/blocks/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { lineDiff } from '../diff-text.ts'
import { editText } from '../edit-text.ts'
import { CommandError } from '../exit.ts'
import { RequestFailed } from '../server-error.ts'
import { BLOCK_ARGUMENT, findBlock } from './find-block.ts'

/** Stores a text that the server has not taken. Returns the path of its file. */
function rescue({ settings }: Cli, { id }: Block, text: string): string {
  mkdirSync(settings.stateDir, { recursive: true, mode: 0o700 })
  const file = join(settings.stateDir, `${id}-${Date.now()}.md`)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

/** The end of an edit that the server has refused: the text stays in a file. */
function refusal(cli: Cli, error: unknown, block: Block, text: string, now: string): unknown {
  const file = rescue(cli, block, text)
  const reason =
    error instanceof RequestFailed && error.status === 412
      ? `The block was changed meanwhile, and is not overwritten. From its value to your text:\n${lineDiff(cli, now, text)}`
      : (error as Error).message
  return new CommandError(`${reason}\nYour text is in ${file}.`)
}

async function edit(cli: Cli, reference: string): Promise<void> {
  const client = cli.client()
  const { value: block, etag, route } = await findBlock(client, reference)
  const edited = await editText(cli, `${block.value}\n`, `${block.label ?? 'block'}.md`.replaceAll(/[^\w.-]/g, '_'))
  // Editors end files with a line break.
  const text = edited.replace(/\r?\n$/, '')
  if (text === block.value) return cli.note('Nothing was changed.')
  try {
    const changed = await client.patch<Block>(route, { value: text }, { 'if-match': etag! })
    cli.show(changed, () => `Changed ${changed.label} (${changed.id}).`)
  } catch (error) {
    const now = await client.get<Block>(route).catch(() => block)
    throw refusal(cli, error, block, text, now.value)
  }
}

/** `cairn blocks edit` */
export const editBlock = (act: Act) =>
  new Command('edit')
    .description('edit the value of a memory block in $VISUAL or $EDITOR')
    .argument(...BLOCK_ARGUMENT)
    .addHelpText(
      'after',
      '\nA value that somebody changes meanwhile is not overwritten: your text is then stored in a file.\n\nExample:\n  cairn blocks edit Ada/human',
    )
    .action(act(edit))
