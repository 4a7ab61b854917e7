import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server'
import { type Operation, requestOf } from './operations.ts'

/** Sends a request to the API as the caller of the MCP server. */
export type Send = (request: {
  method: string
  url: string
  body?: object
}) => Promise<{ status: number; text: string }>

/** What clients read of a tool. */
const describe = ({ operation, description, inputSchema, method, reads = method === 'GET' }: Operation): Tool => ({
  name: operation,
  description,
  inputSchema,
  annotations: {
    readOnlyHint: reads,
    ...(!reads && { destructiveHint: method === 'DELETE', idempotentHint: method === 'PATCH' || method === 'DELETE' }),
    openWorldHint: false,
  },
})

/** The text of a problem for a model: what is wrong, and where. */
function problemOf(text: string): string {
  const { detail, errors } = JSON.parse(text) as { detail?: string; errors?: readonly { message?: string }[] }
  return [detail ?? text, ...(errors ?? []).map((one) => JSON.stringify(one))].join('\n')
}

function resultOf({ status, text }: Awaited<ReturnType<Send>>): CallToolResult {
  if (status >= 400) return { isError: true, content: [{ type: 'text', text: problemOf(text) }] }
  return { content: [{ type: 'text', text: text === '' ? 'Done.' : text }] }
}

/** What an MCP server is made of. */
export interface McpServerParts {
  version: string
  operations: ReadonlyMap<string, Operation>
  send: Send
}

/** An MCP server for one request. Its tools are operations of the API, which check the caller's key and arguments. */
function createServer({ version, operations, send }: McpServerParts): Server {
  const server = new Server({ name: 'cairn', title: 'Cairn', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [...operations.values()].map(describe) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const operation = operations.get(params.name)
    if (!operation) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    return resultOf(await send(requestOf(operation, params.arguments ?? {})))
  })
  return server
}

/** The response to one request of an MCP client, of any revision of the protocol. */
export const respond = (request: Request, parsedBody: unknown, parts: McpServerParts): Promise<Response> =>
  createMcpHandler(() => createServer(parts)).fetch(request, { parsedBody })
