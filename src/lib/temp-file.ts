import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A temporary file, for bytes that don't fit into memory. It has no name, so the system deletes it at the end of the
 * process, also after a crash.
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

/** Appends all of `bytes`. */
export async function append(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
}
