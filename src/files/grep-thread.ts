import { parentPort, workerData } from 'node:worker_threads'
import type { GrepOptions, GrepText, MatchedLine } from './grep.ts'
import { linesOf } from './lines.ts'

/** The thread that `grep` starts for one search. */

const { pattern, include, context, skip, take, most } = workerData as GrepOptions

/** A regular expression; the rules of Unicode forbid some escapes that people write all the same. */
function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'iu')
  } catch {
    return new RegExp(source, 'i')
  }
}

/** `*` and `?` as in the names of files; a pattern without a slash is for the name without its folder. */
function isIncluded(name: string): boolean {
  if (include === undefined) return true
  const source = include
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'iu').test(include.includes('/') ? name : name.slice(name.lastIndexOf('/') + 1))
}

/** Searches one text. `before` are the matches of the texts before. */
function search(expression: RegExp, { text, kind, before }: GrepText): { matches: number; shown: MatchedLine[][] } {
  const lines = [...linesOf(text, kind)]
  let matches = 0
  const shown: MatchedLine[][] = []
  for (const [at, line] of lines.entries()) {
    if (!expression.test(line)) continue
    const n = before + matches++
    if (n >= skip && n < skip + take) {
      const from = Math.max(0, at - context)
      shown.push(
        lines.slice(from, at + context + 1).map((text, i) => ({ line: from + i + 1, text, isMatch: from + i === at })),
      )
    }
    if (before + matches >= most) break
  }
  return { matches, shown }
}

/** Responds to each text with its matches. Reports a pattern that is no regular expression. */
function serve(): { ready: true } | { invalid: string } {
  try {
    const expression = expressionOf(pattern)
    parentPort!.on('message', (request: GrepText) =>
      parentPort!.postMessage(
        isIncluded(request.kind.file_name) ? search(expression, request) : { matches: 0, shown: [] },
      ),
    )
    return { ready: true }
  } catch (error) {
    return { invalid: (error as Error).message }
  }
}

parentPort!.postMessage(serve())
