/** A failed request. The message is for the user: method, path, status and the server's error. */
export class CallFailed extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** Sends a request and returns the parsed response. Throws a CallFailed for any error. */
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
  const issues = problem.errors?.map((issue) => `\n  ${issue.in} ${issue.field}: ${issue.message}`) ?? []
  return `${problem.detail ?? problem.title ?? text.slice(0, 300)}${issues.join('')}`
}

/** Makes the function that sends requests to the API at `url` (such as http://localhost:8283) with a key. */
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
        `${method} ${path}: no response from ${url} (${reason}). Start the server with \`npm start\`, or set CAIRN_URL to its address.`,
      )
    })
    const text = await response.text()
    if (!response.ok) throw new CallFailed(`${method} ${path} → ${response.status}: ${describe(text)}`, response.status)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}
