/** What of autocannon is used here; it brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  export interface Request {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
    /** Called before each request is sent. */
    setupRequest?(request: Request): Request
  }

  interface Options {
    url: string
    connections: number
    /** In seconds. */
    duration: number
    /** How often it looks whether the time is over, in milliseconds. */
    sampleInt?: number
    requests: Request[]
  }

  interface Result {
    '2xx': number
    non2xx: number
    /** Timeouts included. */
    errors: number
  }

  interface Instance extends EventEmitter, PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this
  }

  export default function autocannon(options: Options): Instance
}
