import type { Agent } from '../../api/generated.ts'

/** What every tab of an agent's page gets. */
export interface TabProps {
  agent: Agent
  conversationId: string | undefined
}
