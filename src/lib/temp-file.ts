import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A temporary file, for bytes that don't fit into memory. It has no name, so it is gone with the process, however
 * that ends.
 */
export async function openTempFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `cairn-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await handle.close()
    throw error
  }
  return handle
}

/** Writes all of `bytes` at the end of what was written before. */
export async function append(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
}
