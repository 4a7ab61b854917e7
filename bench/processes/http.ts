import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './child.ts'

/** Serves a fixed body by bare node:http. The function sets the body and returns the port. */
function createFixedServer(): (body: string) => Promise<number> {
  let bytes = Buffer.alloc(0)
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
      response.end(bytes)
    })
  })
  return async (body) => {
    bytes = Buffer.from(body)
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
}

serveParent<string, number>(createFixedServer())
