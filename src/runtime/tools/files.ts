import { GrepError, grep, type Matches } from '../../files/grep.ts'
import { touchFiles } from '../../resources/agents/files/files.ts'
import { prepareFileSearch } from '../../resources/passages/prepare-search.ts'
import { findPassages } from '../../resources/passages/search.ts'
import { ToolError } from '../memory.ts'
import { optionalInteger, optionalText, text } from './arguments.ts'
import { attachedFiles, textsOf } from './attached-files.ts'
import { openFiles } from './open-files.ts'
import type { BuiltinTool } from './tool.ts'

const MB = 1024 * 1024
const MAX_PATTERN = 1000
const MAX_CONTEXT = 20

/** The matches on a page, and the most that are counted. */
const PAGE = 20
const MAX_MATCHES = 1000

/** The bytes of texts that one search reads. */
const MAX_BYTES = { file: 50 * MB, all: 200 * MB }

/** The passages of a search, and the lines of each that are shown. */
const MAX_PASSAGES = 50
const MAX_LINES = 20

const RULE = '='.repeat(80)

/** The characters of a line that a match shows. */
const MAX_LINE = 2000

function matchesText(found: readonly Matches[], pattern: string, skip: number): string {
  const total = found.reduce((sum, { matches }) => sum + matches, 0)
  const shown = found.reduce((sum, one) => sum + one.shown.length, 0)
  if (total === 0) return `No matches found for pattern: '${pattern}'`
  const count = `${total}${total >= MAX_MATCHES ? ' or more' : ''}`
  const page = shown === 0 ? 'none left to show' : `showing matches ${skip + 1}-${skip + shown} of ${count}`
  const parts = found
    .filter((one) => one.shown.length > 0)
    .map(({ file_name, shown: groups }) => {
      const lines = groups.map((group) =>
        group.map(({ line, text, isMatch }) => `${isMatch ? '>' : ' '} ${line}: ${text.slice(0, MAX_LINE)}`).join('\n'),
      )
      return `${RULE}\n${file_name}\n${lines.join('\n  ...\n')}`
    })
  const next = skip + shown < total ? [`${RULE}\nThere are more matches: use offset ${skip + shown} for the next.`] : []
  return [`Found ${count} total matches across ${found.length} files (${page}):`, ...parts, ...next].join('\n')
}

/** The tools over the files of an agent's folders. */
export const FILE_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  open_files: openFiles,
  async grep_files(args, { scope, agent, services, signal }) {
    const [pattern, include] = [text(args, 'pattern'), optionalText(args, 'include')]
    if (pattern === '' || pattern.length > MAX_PATTERN || (include?.length ?? 0) > MAX_PATTERN) {
      throw new ToolError(`The arguments "pattern" and "include" must have 1 to ${MAX_PATTERN} characters.`)
    }
    const skip = optionalInteger(args, 'offset', 0) ?? 0
    const context = Math.min(optionalInteger(args, 'context_lines', 0) ?? 1, MAX_CONTEXT)
    const options = { pattern, include, context, skip, take: PAGE, most: MAX_MATCHES }
    const files = await attachedFiles(scope, agent.row.id)
    const search = () => grep(options, textsOf(scope, files, MAX_BYTES), signal)
    try {
      return matchesText(await services.searchTurns(scope.organizationId, search), pattern, skip)
    } catch (error) {
      throw error instanceof GrepError ? new ToolError(error.message) : error
    }
  },
  async semantic_search_files(args, { scope, agent, services, signal }) {
    const query = text(args, 'query').trim()
    if (query === '') throw new ToolError('The argument "query" is empty.')
    const limit = Math.min(optionalInteger(args, 'limit', 1) ?? 5, MAX_PASSAGES)
    const search = await prepareFileSearch(scope, services, agent.row.id, query, limit)
    const found = await services.searchTurns(scope.organizationId, () => findPassages(scope, search, signal))
    if (found.length === 0) return `No semantic matches found for query: '${query}'`
    await touchFiles(scope, agent.row.id, [...new Set(found.flatMap(({ file_id }) => file_id ?? []))])
    const names = new Set(found.map(({ file_name }) => file_name))
    const parts = found.map((passage) => {
      const lines = passage.text.split('\n')
      const rest = lines.length > MAX_LINES ? ['...'] : []
      return [RULE, `${passage.file_name}:`, ...lines.slice(0, MAX_LINES), ...rest].join('\n')
    })
    const places = `${names.size} file${names.size === 1 ? '' : 's'}`
    return [`Found ${found.length} semantic matches in ${places} for query: '${query}'`, ...parts].join('\n')
  },
}
