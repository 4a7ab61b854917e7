import type { StreamEvent } from '../../resources/messages/schema.ts'
import type { Cli } from '../cli.ts'
import { folded } from '../table.ts'
import { widthOf } from '../terminal.ts'
import { type Call, collectCalls } from './calls.ts'

/** How a run has ended, as far as its events say. */
export interface Outcome {
  runId: string | undefined
  stopReason: string | undefined
  /** The message of an error. */
  error: string | undefined
  /** The calls that wait for an approval. */
  pending: Call[]
}

interface Return {
  /** The name of the tool: of a return that is an event of its own. */
  name?: string
  tool_call_id: string
  tool_return: unknown
  status: string
}

/** The text of a content, which may have parts. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : [content]
        .flat()
        .map((part) => (part as { text?: string } | null)?.text ?? '')
        .join('')

/** A call on one line, without its id. */
export const callLine = (call: Call, width: number) => folded(`${call.name} ${call.arguments}`, width)

/**
 * Writes the events of a run for people as they come: reasoning dimmed, the text of the agent, and a line for each call of a tool
 * and its result. With `--json`, each event is a line of JSON.
 */
export function createEventWriter(cli: Cli) {
  const outcome: Outcome = { runId: undefined, stopReason: undefined, error: undefined, pending: [] }
  const calls = new Map<string, Call>()
  let openId: unknown

  function endLine() {
    if (openId !== undefined) cli.print('')
    openId = undefined
  }

  /** Goes on with the text of a message, which begins on a line of its own. */
  function writePiece(id: unknown, text: string) {
    if (openId !== id) endLine()
    if (text === '') return
    openId = id
    cli.write(text)
  }

  function writeReturn({ tool_call_id, tool_return, status, name = 'tool' }: Return) {
    endLine()
    const call = calls.get(tool_call_id) ?? { id: tool_call_id, name, arguments: '' }
    const width = Math.floor((widthOf(cli.terminal) - 5) / 2)
    const mark = status === 'success' ? cli.style('green', '✓') : cli.style('red', '✗')
    cli.print(`${mark} ${cli.style('dim', `${callLine(call, width)} → ${folded(textOf(tool_return), width)}`)}`)
  }

  const writers: Readonly<Record<string, (event: StreamEvent) => void>> = {
    assistant_message: ({ id, content }) => writePiece(id, textOf(content)),
    reasoning_message: ({ id, reasoning }) => writePiece(id, cli.style(['dim', 'italic'], reasoning as string)),
    tool_return_message: (event) => {
      // A tool_return_message has the fields of a return.
      const own = event as StreamEvent & Return
      const returns = (event.tool_returns as Return[] | undefined) ?? [own]
      for (const one of returns) writeReturn(returns.length === 1 ? { ...own, ...one } : one)
    },
    summary_message: () => {
      endLine()
      cli.print(cli.style('dim', '(Older messages were summarized.)'))
    },
  }

  return {
    outcome,
    write(event: StreamEvent) {
      outcome.runId ??= event.run_id as string | undefined
      if (event.message_type === 'stop_reason') outcome.stopReason = event.stop_reason as string
      if (event.message_type === 'error_message') outcome.error = event.message as string
      const ids = collectCalls(calls, event)
      if (event.message_type === 'approval_request_message') {
        const known = new Set([...outcome.pending.map(({ id }) => id), ...ids])
        outcome.pending = [...known].map((id) => calls.get(id)!)
      }
      if (cli.json) cli.print(JSON.stringify(event))
      else writers[event.message_type]?.(event)
    },
    /** Ends the line of a text that was cut. */
    end: endLine,
  }
}
