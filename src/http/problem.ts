import { Type } from 'typebox'

/** The shape of every error (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'What went wrong, for programs.' }),
    detail: Type.String({ description: 'What went wrong, for people.' }),
    message: Type.String({ description: 'The same as detail.' }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          in: Type.Enum(['path', 'query', 'header', 'body']),
          field: Type.String(),
          message: Type.String(),
        }),
        { description: 'The faults of the request, when it was not valid: 100 at most.' },
      ),
    ),
  },
  { $id: 'Problem' },
)

/** Descriptions of the error responses, by status. */
export const ERRORS: Readonly<Record<number, string>> = {
  400: 'The body is not JSON, or the path is badly percent-encoded.',
  401: 'No key, or not a valid one.',
  403: 'The key lacks a scope.',
  404: 'The organization has no such resource.',
  408: 'The request took too long to arrive.',
  409: 'Another resource stands in the way, or the same request is being answered at the moment.',
  412: 'The resource has changed since: its ETag is another.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'The request is not valid; `errors` lists its faults.',
  429: 'The key has used up its requests of this minute.',
  431: 'The path, the query and the headers are too large together.',
  500: 'A fault of the server: report it with the request id.',
  502: 'A service the request needs, such as that of a model, does not answer as it should.',
  503: 'The database cannot be reached at the moment.',
}
