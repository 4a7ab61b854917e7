import type { Client } from './server.ts'

/** The content of an upload: a text, or the bytes of a file. */
export type Content = string | Uint8Array

/** A form with one file. */
export function fileForm(name: string, content: Content, type = 'application/octet-stream'): FormData {
  const form = new FormData()
  form.append('file', new Blob([content as Uint8Array<ArrayBuffer>], { type }), name)
  return form
}

/** Uploads a file to a folder. */
export const upload = (
  client: Client,
  folderId: string,
  name: string,
  content: Content,
  { query = '', type, headers }: { query?: string; type?: string; headers?: Record<string, string> } = {},
) => client.post(`/v1/folders/${folderId}/upload${query}`, fileForm(name, content, type), headers)
