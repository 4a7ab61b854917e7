import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

/** The bytes of an archive's part, and the unpacked size that its header claims. */
export interface Part {
  name: string
  bytes: Buffer
  declared?: number
}

/** A zip archive (APPNOTE 6.3). */
export function zip(parts: readonly Part[]): Buffer {
  const written: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, declared = bytes.length } of parts) {
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(declared, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, Buffer.from(name)]))
    written.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...written, ...directory, Buffer.from('PK\x05\x06'), end])
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A Word document with these paragraphs, and other parts besides. */
export function docx(paragraphs: readonly string[], others: readonly Part[] = []): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')
  const texts = {
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  }
  return zip([...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })), ...others])
}

/** A PDF with these pages, each a line of text; `contents` instead are pages as PDF writes them. */
export function pdf(lines: readonly string[], contents?: readonly Buffer[]): Buffer {
  const pages =
    contents ?? lines.map((line) => Buffer.from(line === '' ? '' : `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`))
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(' ')
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...pages.flatMap((bytes, n) => {
      const packed = deflateSync(bytes)
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + n * 2} 0 R >>`
      const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`
      return [Buffer.from(page), Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')])]
    }),
  ]
  const written = [Buffer.from('%PDF-1.7\n')]
  let at = written[0]!.length
  const offsets = objects.map((object, n) => {
    const bytes = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    written.push(bytes)
    at += bytes.length
    return at - bytes.length
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  return Buffer.concat([
    ...written,
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  ])
}
