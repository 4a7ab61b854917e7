import type { Cli } from '../cli.ts'
import { ask } from '../prompt.ts'
import type { Call } from '../runs/calls.ts'
import { callLine, type Outcome } from '../runs/event-writer.ts'
import { widthOf } from '../terminal.ts'

interface Decision {
  type: 'approval'
  tool_call_id: string
  approve: boolean
  reason?: string
}

/** Asks whether a call may be made. */
async function decide(cli: Cli, call: Call): Promise<Decision> {
  const of = { type: 'approval', tool_call_id: call.id } as const
  cli.print(`${cli.style('yellow', '?')} ${callLine(call, widthOf(cli.terminal) * 3)}`)
  const response = await ask(cli, '  Run it? [y]es, [n]o, or the reason why not: ')
  if (/^y(es)?$/i.test(response)) return { ...of, approve: true }
  return /^(no?)?$/i.test(response) ? { ...of, approve: false } : { ...of, approve: false, reason: response }
}

/** The messages that respond to the calls which wait: as the user decides, or all approved. */
export async function respondToCalls(cli: Cli, pending: Outcome['pending'], approveAll: boolean) {
  const approvals: Decision[] = []
  for (const call of pending) {
    approvals.push(approveAll ? { type: 'approval', tool_call_id: call.id, approve: true } : await decide(cli, call))
  }
  return { messages: [{ type: 'approval', approvals }] }
}
