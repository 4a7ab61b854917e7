import type { Readable, Writable } from 'node:stream'

/** The streams of a command, and its Ctrl-C. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean | undefined }
  stdout: Writable & { isTTY?: boolean | undefined; columns?: number | undefined }
  stderr: Writable & { isTTY?: boolean | undefined }
  /** Calls `handler` at each Ctrl-C, which no longer ends the process, until the returned function is called. */
  onInterrupt(handler: () => void): () => void
}

/** The terminal of this process. A closed pipe, as after `| head`, ends the process without an error. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  return {
    stdin,
    stdout,
    stderr,
    onInterrupt(handler) {
      process.on('SIGINT', handler)
      return () => process.off('SIGINT', handler)
    },
  }
}

const ESCAPE = '\u001b'

/** The width of the terminal, in columns. */
export const widthOf = ({ stdout }: Terminal) => stdout.columns || 100

/**
 * A text without characters that control a terminal, other than line breaks, tabs and colours: texts of servers and models
 * must not move the cursor, change the title or turn the direction of writing.
 */
export const safeText = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])(?:\p{Cc}\[[\d;]*m|[\p{Cc}\u202a-\u202e\u2066-\u2069])/gu, (found) =>
      found.startsWith(`${ESCAPE}[`) ? found : '\ufffd',
    )
