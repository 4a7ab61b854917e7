import type { ApprovalRequestMessage } from './schema.ts'

/** A part of a message's content, in the form of the agent file format: `text`, `image`, `reasoning` and others. */
export interface ContentPart {
  type: string
  text?: string
  [field: string]: unknown
}

/** A call that a model has asked for. */
export interface StoredCall {
  id: string
  type: 'function'
  /** `arguments` is the JSON of an object. */
  function: { name: string; arguments: string }
}

/** The return of a call. `func_response` is packed: see `packReturn`. */
export interface StoredReturn {
  tool_call_id: string
  status: 'success' | 'error'
  func_response: string | ContentPart[]
  stdout?: string[] | null
  stderr?: string[] | null
}

/** The parts of a model's answer with the provider's metadata, for the same provider and model. */
export interface ModelParts {
  provider: string
  model: string
  parts: unknown[]
}

export const ROLES = ['system', 'user', 'assistant', 'tool', 'approval', 'summary', 'function'] as const
export type Role = (typeof ROLES)[number]

export interface MessageRow {
  organization_id: string
  id: string
  agent_id: string
  conversation_id: string | null
  run_id: string | null
  step_id: string | null
  role: Role
  content: ContentPart[]
  name: string | null
  otid: string | null
  sender_id: string | null
  group_id: string | null
  model: string | null
  tool_calls: StoredCall[] | null
  tool_call_id: string | null
  tool_returns: StoredReturn[] | null
  approval_request_id: string | null
  approve: boolean | null
  denial_reason: string | null
  approvals: Record<string, unknown>[] | null
  model_parts: ModelParts | null
  created_at: string
}

/** A message without its organization: as the runtime makes and reads it. */
export type StoredMessage = Omit<MessageRow, 'organization_id'>

/** The tokens of a prompt: the server's estimate, and the count that its model has reported. */
export interface TokenCount {
  /** The handle of the model. */
  model: string
  estimated: number
  reported: number
}

/** A line of messages: an agent's own, or a conversation's. */
export interface ThreadRow {
  organization_id: string
  /** The id of the agent, or of the conversation. */
  id: string
  agent_id: string
  message_ids: string[]
  pending_approval: ApprovalRequestMessage | null
  /** The instant from which the request that waits is denied. */
  pending_expires_at: string | null
  /** The tokens of the latest prompt. */
  token_count: TokenCount | null
  /** The last message whose tool returns models see shortened. */
  shortened_to: string | null
  run_id: string | null
  queue_no: number
  waiting: number
}

/** A thread: of a conversation, or of an agent itself; or of a group, which stands in the place of the agent. */
export interface Target {
  agentId: string
  threadId: string
  conversationId?: string | undefined
  groupId?: string | undefined
}

/** Whether a thread, or a run on it, is a group's own. */
export const isOfGroup = ({ threadId, groupId }: Pick<Target, 'threadId' | 'groupId'>): boolean => threadId === groupId

declare module '../../db/jobs.ts' {
  interface JobData {
    /** Embeds the messages of an agent that lack a vector of its model. */
    embed_messages: { agent_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    messages: MessageRow
    threads: ThreadRow
  }
}
