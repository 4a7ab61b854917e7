import { fanOutOf, toMessages } from '../../resources/messages/fan-out.ts'
import { asText } from '../../resources/messages/packed.ts'
import type { ContentPart, StoredMessage } from '../../resources/messages/table.ts'
import type { Said } from './next-turn.ts'

const argumentsOf = (text: string): Record<string, unknown> => JSON.parse(text)

/** The calls of group tools that succeeded. */
function callsIn(rows: readonly StoredMessage[]) {
  const returns = new Map(rows.flatMap(({ tool_returns }) => tool_returns ?? []).map((one) => [one.tool_call_id, one]))
  return rows
    .flatMap(({ tool_calls }) => tool_calls ?? [])
    .filter(({ id, function: { name } }) => {
      const returned = returns.get(id)
      return returned?.status === 'success' && (name === 'choose_next_speaker' || name === 'hand_over')
    })
    .map(({ function: { name, arguments: input } }) => ({ tool: name, args: argumentsOf(input) }))
}

/** The words of an agent to the others in the rows of its turn: its answers, and what it hands over. */
export function saidIn(rows: readonly StoredMessage[], agentType: string): Said {
  const options = fanOutOf(agentType)
  const texts = rows
    .flatMap((row) => toMessages(row, options))
    .flatMap(({ message_type, content }) =>
      // It holds: the content of an assistant message is a text, or parts.
      message_type === 'assistant_message' ? [asText(content as string | ContentPart[])] : [],
    )
  const calls = callsIn(rows)
  const handed = calls.filter(({ tool }) => tool === 'hand_over')
  const notes = handed.map(({ args }) => `I hand over to ${args.name}${args.message ? `: ${args.message}` : '.'}`)
  return { texts: [...texts, ...notes], chosen: calls.at(-1)?.args.name as string | undefined }
}
