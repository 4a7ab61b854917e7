import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { idPattern } from '../../lib/ids.ts'
import { pythonText } from '../../lib/python-text.ts'
import { hasTags } from '../../resources/tags/filter.ts'
import { ToolError } from '../memory.ts'
import { isRefusal } from '../refused.ts'
import { optionalTexts, text } from './arguments.ts'
import type { Arguments, OutsideTool, ToolContext } from './tool.ts'

/** The most agents that one call sends a message to. */
const MAX_RECEIVERS = 100

const letterTo = (to: string, args: Arguments, { author: from, hops }: ToolContext) => ({
  ...{ from, to, hops },
  text: text(args, 'message'),
})

/** The id of the other agent. Throws a ToolError for a text that is none. */
function receiverIn(args: Arguments): string {
  const id = text(args, 'other_agent_id')
  if (!new RegExp(idPattern('agent')).test(id)) throw new ToolError(`"${id}" is no id of an agent: give agent-<uuid>.`)
  return id
}

/** The other agents with these tags. Throws a ToolError for too many. */
async function agentsWithTags(scope: Scope, self: string, all: string[], some: string[]): Promise<string[]> {
  const conditions = [
    ...(all.length > 0 ? hasTags(scope, 'agents', all, true) : []),
    ...(some.length > 0 ? hasTags(scope, 'agents', some, false) : []),
  ]
  const rows = await scope.query<{ id: string }>(sql`
    select id from agents where organization_id = ${scope.organizationId} and id <> ${self} and hidden is not true
      ${sql.join(
        conditions.map((condition) => sql`and ${condition}`),
        sql` `,
      )}
    order by created_at, id limit ${MAX_RECEIVERS + 1}`)
  if (rows.length > MAX_RECEIVERS) {
    throw new ToolError(`Nothing was sent: more than ${MAX_RECEIVERS} agents have these tags. Give more tags.`)
  }
  return rows.map(({ id }) => id)
}

/** The reply of an agent among others: an error of one keeps no reply of another back. */
export async function replyOf(agent_id: string, args: Arguments, context: ToolContext, group?: ToolContext['group']) {
  try {
    const response = await context.services.letters.ask(
      context.scope,
      { ...letterTo(agent_id, args, context), group },
      context.signal,
    )
    return { agent_id, response }
  } catch (error) {
    if (!(error instanceof ToolError || isRefusal(error))) throw error
    return { agent_id, response: [`<error> ${error.message}`] }
  }
}

/** A tool whose calls find the runs of their letters when they run again. */
export const repeatable = (run: OutsideTool['run']): OutsideTool => ({ outside: 'repeatable', run })

/** Agents that write to agents of their organization. */
export const MULTI_AGENT_TOOLS: Readonly<Record<string, OutsideTool>> = {
  send_message_to_agent_and_wait_for_reply: repeatable(async (args, context) => {
    const to = receiverIn(args)
    const response = await context.services.letters.ask(context.scope, letterTo(to, args, context), context.signal)
    return pythonText({ agent_id: to, response })
  }),
  send_message_to_agents_matching_tags: repeatable(async (args, context) => {
    const [all, some] = [optionalTexts(args, 'match_all') ?? [], optionalTexts(args, 'match_some') ?? []]
    const ids = await agentsWithTags(context.scope, context.agent.row.id, all, some)
    return pythonText(await Promise.all(ids.map((id) => replyOf(id, args, context))))
  }),
  send_message_to_agent_async: repeatable(async (args, context) => {
    const to = receiverIn(args)
    await context.services.letters.tell(context.scope, letterTo(to, args, context))
    return `The message was sent to ${to}. Its response will not be delivered.`
  }),
}
