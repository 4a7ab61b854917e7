import { secretsOf } from '../../resources/agents/secrets.ts'
import { callTool } from '../../resources/mcp-servers/call.ts'
import type { Tool } from '../../resources/tools/schema.ts'
import type { FindTool } from './tool.ts'

interface Hints {
  readOnlyHint?: boolean
  idempotentHint?: boolean
}

/** What a server says of a tool: a call of one that only reads, or does the same the second time, may be repeated. */
const hintsOf = ({ metadata_ }: Tool): Hints =>
  (metadata_?.mcp as { annotations?: Hints } | undefined)?.annotations ?? {}

/** Finds a tool of an MCP server. */
export const findMcpTool: FindTool = (tool) => {
  if (tool.tool_type !== 'external_mcp') return undefined
  const { readOnlyHint, idempotentHint } = hintsOf(tool)
  return {
    outside: readOnlyHint || idempotentHint ? 'repeatable' : 'once',
    async run(args, { scope, agent, signal, services: { mcp } }) {
      const agentId = agent.row.id
      const environment = await secretsOf(scope, agentId)
      const call = { toolId: tool.id, args: { ...args } }
      const { status, text, images } = await callTool(scope, mcp, call, { agentId, environment }, signal)
      return { status, output: text, ...(images.length > 0 && { content: [{ type: 'text', text }, ...images] }) }
    },
  }
}
