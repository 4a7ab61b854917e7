/** A call that failed. The message is for the user: method, path, status and what the server said. */
export class CallFailed extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** Calls the API and gives the parsed answer. Throws CallFailed for anything but a success. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** An error's body (RFC 9457). */
interface Problem {
  title?: string
  detail?: string
  errors?: { in: string; field: string; message: string }[]
}

function describe(text: string): string {
  let problem: Problem
  try {
    problem = JSON.parse(text)
  } catch {
    return text.slice(0, 300)
  }
  const faults = problem.errors?.map((fault) => `\n  ${fault.in} ${fault.field}: ${fault.message}`) ?? []
  return `${problem.detail ?? problem.title ?? text.slice(0, 300)}${faults.join('')}`
}

/** The API at `url` (such as http://localhost:8283), called with one key. */
export function connect(url: string, key: string): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const request = {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const response = await fetch(url + path, request).catch((error: Error & { cause?: { code?: string } }) => {
      const reason = error.cause?.code ?? error.message
      throw new CallFailed(
        `${method} ${path}: no answer from ${url} (${reason}). Start the server with \`npm start\`, or set CAIRN_URL to where it runs.`,
      )
    })
    const text = await response.text()
    if (!response.ok) throw new CallFailed(`${method} ${path} → ${response.status}: ${describe(text)}`, response.status)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}
