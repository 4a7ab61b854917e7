import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a stand-in received. */
export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** The raw body, which signatures cover. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  body: any
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** An unusual response: any status, none at all, or a connection closed in the middle. */
export type Otherwise = Answer | 'never' | 'cut'

/** A server with a provider's API, over real HTTP on loopback. */
export interface Server {
  /** Its root, without a path. */
  url: string
  /** The requests it received, in order. */
  asked: Asked[]
  /** Overrides the usual response where it returns one. */
  otherwise: (request: Asked) => Otherwise | undefined
  close(): Promise<void>
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, answer: Otherwise): void {
  if (answer === 'never') return
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"object":"list","data":[')
    setImmediate(() => response.destroy())
    return
  }
  const { status, headers = {}, body } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export async function serve(answerTo: (asked: Asked) => Answer): Promise<Server> {
  const standIn: Server = {
    url: '',
    asked: [],
    otherwise: () => undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    // An aborted request is recorded, too.
    const text = await textOf(request).catch(() => '')
    const asked = { method, path, headers, text, body: parsed(text) }
    standIn.asked.push(asked)
    send(response, standIn.otherwise(asked) ?? answerTo(asked))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return standIn
}
