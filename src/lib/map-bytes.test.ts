import { describe, expect, test } from 'vitest'
import { mapBytes } from './map-bytes.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

interface Faults {
  error?: Error
  /** Gets the reason of a cancellation. */
  cancelled?: (reason: unknown) => void
}

/** A stream of texts, then of an error if there is one. */
function streamOf(texts: string[], { error, cancelled = () => {} }: Faults = {}) {
  const left = [...texts]
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = left.shift()
      if (next !== undefined) controller.enqueue(bytes(next))
      else if (error) controller.error(error)
      else controller.close()
    },
    cancel: cancelled,
  })
}

describe('a stream of changed bytes', () => {
  test('has each chunk changed, none that is empty, and the end', async () => {
    const upper = (chunk: Uint8Array) => bytes(new TextDecoder().decode(chunk).toUpperCase().replace('B', ''))
    const changed = mapBytes(streamOf(['a', 'b', 'c']), upper, () => bytes('!'))
    expect(await Array.fromAsync(changed, (chunk) => new TextDecoder().decode(chunk))).toEqual(['A', 'C', '!'])
  })

  test('ends with the error of its source', async () => {
    const error = new Error('cut')
    await expect(new Response(mapBytes(streamOf(['a'], { error }), (chunk) => chunk)).text()).rejects.toBe(error)
  })

  test('ends its source with the error of a change', async () => {
    const source = Promise.withResolvers<unknown>()
    const error = new Error('too long')
    const changed = mapBytes(streamOf(['a', 'b'], { cancelled: source.resolve }), () => {
      throw error
    })
    await expect(new Response(changed).text()).rejects.toBe(error)
    expect(await source.promise).toBe(error)
  })

  test('cancels its source', async () => {
    const source = Promise.withResolvers<unknown>()
    await mapBytes(streamOf(['a', 'b'], { cancelled: source.resolve }), (chunk) => chunk).cancel('enough')
    expect(await source.promise).toBe('enough')
  })
})
