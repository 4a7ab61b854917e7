import { randomUUID } from 'node:crypto'
import { ApiError, inBody, invalid } from '../lib/errors.ts'
import type { Decision, Input, SendMessages, SentMessage, ToolReturn } from '../resources/messages/body.ts'
import { asParts } from '../resources/messages/insert.ts'

/** A message of the caller, as it is stored. */
export type UserInput = SentMessage & { otid: string }

/** The answers to a request for approval. */
export interface Approval {
  answers: (Decision | ToolReturn)[]
  /** The id of the request, from callers that answer the request as a whole. */
  requestId?: string | undefined
  otid?: string | null | undefined
}

/** The tools that the agents of a group get for their turns. */
export const GROUP_TOOLS = ['choose_next_speaker', 'hand_over', 'send_message_to_all_agents_in_group'] as const
export type GroupTool = (typeof GROUP_TOOLS)[number]

/** The turn of an agent in a group. */
export interface GroupTurn {
  groupId: string
  /** The run of the group. */
  runId: string
  tool?: GroupTool | undefined
  /** The agents that the tool may name. */
  members: { id: string; name: string }[]
  /** The word that ends the conversation. */
  end?: string | undefined
}

/** The request of a run, as it is stored: any server can carry the run out from it. */
export interface RunRequest extends Omit<SendMessages, 'messages' | 'input'> {
  messages: UserInput[]
  group?: GroupTurn | undefined
  max_total_tokens?: number | null
  approval?: Approval | undefined
  /** The agents, one behind the other, that have passed on messages before this one. */
  hops?: number | undefined
  /** The agent whose memory this run looks after, and the lines of its transcript. The end of such a run begins no others. */
  thinksAbout?: { agentId: string; lines: string[] } | undefined
}

const isMessage = (input: Input): input is SentMessage => 'role' in input

/** The answers of an input that isn't a message. */
function approvalOf(input: Exclude<Input, SentMessage>): Approval {
  if ('tool_returns' in input) return { answers: input.tool_returns, otid: input.otid }
  const { approvals, approve, approval_request_id, reason, otid } = input
  if (approvals != null) return { answers: approvals, otid }
  if (approval_request_id == null || approve == null) {
    throw invalid(inBody('messages[0]', 'needs approvals, or approval_request_id and approve'))
  }
  return {
    answers: [{ type: 'approval', tool_call_id: approval_request_id, approve, ...(reason != null && { reason }) }],
    requestId: approval_request_id,
    otid,
  }
}

const isEmpty = (content: SentMessage['content']) =>
  asParts(content).every((part) => part.type === 'text' && !part.text)

/** 400 for a message without content, and for an answer to an approval behind other messages: no call waits any more then. */
function checkInputs(inputs: readonly Input[]): void {
  for (const [n, input] of inputs.entries()) {
    if (!isMessage(input)) {
      if (n === 0) continue
      throw new ApiError(
        'bad_request',
        `messages[${n}]: an answer to a request for approval must be the first message.`,
      )
    }
    if (isEmpty(input.content)) throw new ApiError('bad_request', `messages[${n}].content: must not be empty.`)
  }
}

/** The request of a run from a body. 422 for a body without messages, 400 for messages that can't be sent so. */
export function runRequest({ messages, input, ...settings }: SendMessages): RunRequest {
  if ((messages == null) === (input == null)) {
    throw invalid(inBody('messages', 'either messages or input is needed, not both'))
  }
  const all: Input[] = messages ?? [{ role: 'user', content: input! }]
  if (all.length === 0) throw invalid(inBody('messages', 'must have at least one message'))
  const [first] = all
  const approval = isMessage(first!) ? undefined : approvalOf(first!)
  checkInputs(all)
  return {
    ...settings,
    messages: all.filter(isMessage).map((message) => ({ ...message, otid: message.otid ?? randomUUID() })),
    ...(approval && { approval }),
  }
}

/** The ids that the caller gave to the messages of a body. */
export const callerOtids = ({ messages }: SendMessages): string[] => [
  ...new Set((messages ?? []).flatMap(({ otid }) => otid ?? [])),
]
