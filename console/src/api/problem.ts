import { HttpError } from '@oazapfts/runtime'
import { toast } from 'sonner'

/** What a failed request reports: a sentence, and the id under which the server's log has it. */
export interface Problem {
  status: number
  message: string
  requestId?: string
  errors: { field: string; message: string }[]
}

/** Reads the problem of any error that a request or a page throws. */
export function problemOf(error: unknown): Problem {
  if (error instanceof HttpError) {
    const data = (typeof error.data === 'object' && error.data) || {}
    return {
      status: error.status,
      message: data.detail ?? data.title ?? `The server responded with status ${error.status}.`,
      requestId: data.request_id,
      errors: data.errors ?? [],
    }
  }
  // `fetch` throws a TypeError when no response came.
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) {
    return { status: 0, message: 'The server can’t be reached.', errors: [] }
  }
  return { status: 0, message: error instanceof Error ? error.message : String(error), errors: [] }
}

/** Shows an error as a toast. */
export function reportError(error: unknown): void {
  const { message, requestId } = problemOf(error)
  toast.error(message, requestId ? { description: `Request ${requestId}` } : {})
}
