import type { TokenTurns } from '../llm/token-data.ts'
import type { StopReason, UsageStatistics } from '../resources/messages/schema.ts'
import type { Failure } from './failure.ts'

/** How a run ended. */
export interface RunOutcome {
  stopReason: StopReason
  usage: UsageStatistics
  failure?: Failure
  tokens?: TokenTurns
  /** Whether the agent has a model that embeds its new messages. */
  embeds?: boolean
}
