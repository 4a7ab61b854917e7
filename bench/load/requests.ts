import { type Operation, updateRequest } from '../operations/operations.ts'
import { encodeRequest, type Request } from './connection.ts'

/** The request of an operation, with the key of its organization or else the given one. */
export function requestOf({ call, key: ownKey }: Operation, key: string): Request {
  const { contentType = 'application/json', ...rest } = call
  const authorization = `Bearer ${ownKey ?? key}`
  return { ...rest, headers: rest.body ? { authorization, 'content-type': contentType } : { authorization } }
}

/** Encodes the requests of operations. Each encoded update differs from all before it. */
export function createEncoder(key: string) {
  let updates = 0
  return (operation: Operation, origin: URL): (() => Buffer) => {
    const request = requestOf(operation, key)
    const { blockIds } = operation
    if (blockIds) {
      return () => encodeRequest(origin, { ...request, ...updateRequest(blockIds, 'server', ++updates) })
    }
    const encoded = encodeRequest(origin, request)
    return () => encoded
  }
}
