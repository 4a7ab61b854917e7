import type { StreamEvent } from '../../resources/messages/schema.ts'

/** A call of a tool by the model. */
export interface Call {
  id: string
  name: string
  /** JSON. */
  arguments: string
}

interface CallPiece {
  tool_call_id?: string
  name?: string
  arguments?: string
}

/** Adds the calls of an event, or pieces of them, to those by id that came before. Returns the ids in the event. */
export function collectCalls(calls: Map<string, Call>, { tool_calls, tool_call }: StreamEvent): string[] {
  const pieces = [tool_calls ?? tool_call ?? []].flat() as CallPiece[]
  for (const { tool_call_id: id, name = '', arguments: text = '' } of pieces) {
    if (id === undefined) continue
    const call = calls.get(id) ?? { id, name: '', arguments: '' }
    calls.set(id, { id, name: call.name || name, arguments: call.arguments + text })
  }
  return pieces.flatMap(({ tool_call_id }) => tool_call_id ?? [])
}
