import { diffLines, diffWordsWithSpace } from 'diff'
import type { Cli } from './cli.ts'

const MARKS = { removed: '-', added: '+', same: ' ' } as const
const COLORS = { removed: 'red', added: 'green', same: 'dim' } as const

const kindOf = ({ added, removed }: { added?: boolean; removed?: boolean }) =>
  added ? 'added' : removed ? 'removed' : 'same'

/** The lines that differ, with those that are the same between them, each with its mark. */
export function lineDiff(cli: Cli, before: string, after: string): string {
  const lines = diffLines(`${before}\n`, `${after}\n`).flatMap((part) => {
    const kind = kindOf(part)
    return part.value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => cli.style(COLORS[kind], `${MARKS[kind]} ${line}`))
  })
  return lines.join('\n')
}

/** A text of one line with the words that differ in it: `[-old-]{+new+}`, or in colours. */
export function wordDiff(cli: Cli, before: string, after: string): string {
  const isColored = cli.style('red', 'x') !== 'x'
  const marked = {
    added: (text: string) => `{+${text}+}`,
    removed: (text: string) => `[-${text}-]`,
    same: (text: string) => text,
  }
  return diffWordsWithSpace(before, after)
    .map((part) => {
      const kind = kindOf(part)
      return isColored && kind !== 'same' ? cli.style(COLORS[kind], part.value) : marked[kind](part.value)
    })
    .join('')
}
