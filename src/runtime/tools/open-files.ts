import { closeFile, openFile } from '../../resources/agents/files/files.ts'
import { ToolError } from '../memory.ts'
import { optionalInteger, text } from './arguments.ts'
import { type AttachedFile, attachedFiles, visibleContents } from './attached-files.ts'
import type { Arguments, ToolContext } from './tool.ts'

/** A request to open a file, with the lines to show. */
interface FileRequest {
  file: AttachedFile
  start_line: number | undefined
  end_line: number | undefined
}

const quoted = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`

/** The requests of a call, the last of each file. Throws a ToolError for a file that the agent doesn't see. */
function requestsIn({ file_requests }: Arguments, files: readonly AttachedFile[]): FileRequest[] {
  const list: unknown[] = Array.isArray(file_requests) ? file_requests : [file_requests]
  const requests = list.map((item) => {
    if (item === null || typeof item !== 'object') {
      throw new ToolError('The argument "file_requests" must be a list of {"file_name": …}.')
    }
    // It holds: any object has members by names.
    const args = item as Arguments
    const name = text(args, 'file_name')
    const file = files.find(({ file_name }) => file_name === name)
    if (!file) {
      throw new ToolError(
        `${name} is not attached. The attached files are: ${quoted(files.map((one) => one.file_name))}.`,
      )
    }
    const [offset, length] = [optionalInteger(args, 'offset', 0), optionalInteger(args, 'length', 1)]
    return {
      file,
      start_line: offset === undefined ? undefined : offset + 1,
      end_line: length === undefined ? undefined : (offset ?? 0) + length,
    }
  })
  return [...new Map(requests.map((request) => [request.file.file_id, request])).values()]
}

const rangeOf = ({ start_line, end_line }: Pick<AttachedFile, 'start_line' | 'end_line'> | FileRequest) =>
  start_line == null && end_line == null ? undefined : `lines ${start_line ?? 1}-${end_line ?? 'end'}`

function lineOf(request: FileRequest): string {
  const { file } = request
  const range = rangeOf(request)
  const before = file.is_open ? ` (previously ${rangeOf(file) ?? 'full file'})` : ''
  return `* Opened ${file.file_name}${range ? ` (${range})` : ''}${before}`
}

/**
 * Opens files of an agent, and closes others: all others if asked, and the least recently accessed where too many are open.
 * Returns what was done, and the lines that are shown: the prompt of this run was written before. Opening a file again does no
 * harm. Throws a ToolError.
 */
export async function openFiles(args: Arguments, { scope, agent }: ToolContext): Promise<string> {
  const { id, max_files_open: most } = agent.row
  const files = await attachedFiles(scope, id)
  const requests = requestsIn(args, files)
  if (most != null && requests.length > most) {
    throw new ToolError(`${requests.length} files were asked for, and at most ${most} may be open.`)
  }
  const wanted = new Set(requests.map(({ file }) => file.file_id))
  const closed: string[] = []
  for (const { file_id, file_name, is_open } of files) {
    if (args.close_all_others !== true || !is_open || wanted.has(file_id)) continue
    await closeFile(scope, id, file_id)
    closed.push(file_name)
  }
  for (const { file, start_line, end_line } of requests) {
    closed.push(...(await openFile(scope, id, file.file_id, { start_line, end_line })))
  }
  const contents = await visibleContents(scope, id, [...wanted])
  return [
    ...requests.map(lineOf),
    ...(closed.length > 0 ? [`Closed: ${quoted(closed)}`] : []),
    ...requests.map(({ file }) => `\n=== ${file.file_name} ===\n${contents.get(file.file_id) ?? ''}`),
  ].join('\n')
}
