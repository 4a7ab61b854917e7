import { FileFault } from './fault.ts'

const starts = (bytes: Uint8Array, ...mark: number[]) => mark.every((byte, at) => bytes[at] === byte)

/** The first byte that is no UTF-8: where a lossy reading has a replacement that isn't in the bytes themselves. */
function firstFault(bytes: Buffer): number {
  const text = bytes.toString('utf8')
  let offset = 0
  for (let from = 0, at = text.indexOf('\uFFFD'); at >= 0; from = at, at = text.indexOf('\uFFFD', at + 1)) {
    offset += Buffer.byteLength(text.slice(from, at))
    if (!starts(bytes.subarray(offset), 0xef, 0xbf, 0xbd)) return offset
  }
  return bytes.length
}

function lineAt(bytes: Buffer, offset: number): number {
  let line = 1
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) line++
  return line
}

/** Text of UTF-8, or of UTF-16 that begins with a byte order mark. Throws a FileFault that says where it is neither. */
export function decodeText(bytes: Buffer): string {
  const utf16 = starts(bytes, 0xff, 0xfe) ? 'utf-16le' : starts(bytes, 0xfe, 0xff) ? 'utf-16be' : undefined
  let text: string
  try {
    text = new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    if (utf16) throw new FileFault('It is not valid UTF-16, though it begins as such.')
    const at = firstFault(bytes)
    throw new FileFault(
      `It is not valid UTF-8: byte ${at} (line ${lineAt(bytes, at)}) is none. Save it as UTF-8, or as UTF-16 with a byte order mark.`,
    )
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) throw new FileFault(`It is not text: character ${nul} is a NUL.`)
  return text
}
