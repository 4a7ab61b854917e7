import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer } from './child.ts'

/** The bare HTTP route: reads the request and answers a prepared body. */

let body = Buffer.alloc(0)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})

/** Takes the body to answer from now on. Gives the port. */
answer<string, number>(async (text) => {
  body = Buffer.from(text)
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
})
