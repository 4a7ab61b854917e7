import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  McpServer,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/**
 * Which revisions of the protocol a server speaks: those with sessions alone, those of 2026 alone, or both; or the first one, whose
 * transport is SSE.
 */
export type Era = 'legacy' | 'modern' | 'both' | 'sse'

/** An MCP server, over real HTTP on loopback. */
export interface StandIn extends Server {
  /** The tools it lists and runs; a test may change them. */
  tools: Record<string, StandInTool>
  /** Forgets all sessions, as a server does that was started again. */
  forget(): void
}

export interface StandInTool {
  description?: string
  annotations?: { readOnlyHint?: boolean; idempotentHint?: boolean }
  input?: z.ZodObject
  run(args: Record<string, unknown>): { isError?: boolean; content: Content[] } | Promise<{ content: Content[] }>
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | { type: 'resource_link'; uri: string; name: string }

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const TOOLS: StandIn['tools'] = {
  echo: {
    description: 'Echoes back the input string',
    annotations: { readOnlyHint: true },
    input: z.object({ message: z.string().describe('Message to echo') }),
    run: ({ message }) => text(`Echo: ${message}`),
  },
  add: { description: 'Adds a note', input: z.object({ note: z.string() }), run: ({ note }) => text(`Added ${note}`) },
  look: {
    description: 'Returns a picture',
    run: () => ({
      content: [
        { type: 'text', text: 'A pixel:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    }),
  },
  fail: { description: 'Fails', run: () => ({ isError: true, content: [{ type: 'text', text: 'It broke.' }] }) },
}

function mcpServerWith(tools: StandIn['tools']): McpServer {
  const server = new McpServer({ name: 'stand-in', version: '1.0.0' })
  for (const [name, { description, annotations, input, run }] of Object.entries(tools)) {
    const config = {
      ...(description && { description }),
      ...(annotations && { annotations }),
      inputSchema: input ?? z.object({}),
    }
    server.registerTool(name, config, async (args: Record<string, unknown>) => run(args))
  }
  return server
}

const requestOf = (root: string, { method, path, headers, text: body }: Asked) =>
  new Request(root + path, { method, headers: headers as Record<string, string>, ...(body && { body }) })

async function answerOf(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers)
  const isStream = headers['content-type']?.startsWith('text/event-stream')
  return { status: response.status, headers, body: isStream ? response.body : await response.text() }
}

/** The transport of the first revision: a stream of messages, which names the address for those to the server. */
function sseTransport(id: string) {
  const { readable, writable } = new TransformStream<string, string>()
  const writer = writable.getWriter()
  const write = (event: string, data: string) => writer.write(`event: ${event}\ndata: ${data}\n\n`)
  const transport: Transport & { events: AsyncIterable<string> } = {
    events: readable,
    start: async () => void write('endpoint', `/messages?session=${id}`),
    send: async (message) => void write('message', JSON.stringify(message)),
    close: () => writer.close(),
  }
  return transport
}

/** Starts an MCP server at `/mcp`. */
export async function startMcp(era: Era = 'both'): Promise<StandIn> {
  const tools = { ...TOOLS }
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const { fetch } = createMcpHandler(() => mcpServerWith(standIn.tools), {
    legacy: era === 'modern' ? 'reject' : 'stateless',
    keepAliveMs: 0,
  })

  async function withSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = sessions.get(id ?? '')
    if (known) return known.handleRequest(request)
    if (id !== null) return new Response('Session not found', { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => {
        sessions.set(made, transport)
      },
    })
    await mcpServerWith(standIn.tools).connect(transport)
    return transport.handleRequest(request)
  }

  const streams = new Map<string, Transport>()
  async function overSse({ method, path, body }: Asked): Promise<Answer> {
    if (method === 'GET') {
      const transport = sseTransport(String(streams.size))
      streams.set(`/messages?session=${streams.size}`, transport)
      await mcpServerWith(standIn.tools).connect(transport)
      return { status: 200, body: transport.events }
    }
    const transport = streams.get(path)
    transport?.onmessage?.(body)
    return { status: transport ? 202 : 404 }
  }

  const server = await serve(async (asked) => {
    if (era === 'sse') return overSse(asked)
    if (asked.path.split('?')[0] !== '/mcp') return { status: 404, body: { error: 'not found' } }
    const request = requestOf(server.url, asked)
    return answerOf(await (era === 'legacy' ? withSession(request) : fetch(request)))
  })
  const standIn: StandIn = Object.assign(server, { tools, forget: () => sessions.clear() })
  return standIn
}
