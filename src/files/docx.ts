import mammoth from 'mammoth'
import { fromBufferPromise } from 'yauzl'
import { atMost, type Bounds, FileFault } from './fault.ts'
import { htmlToText } from './html.ts'

const MB = 1024 * 1024
/** A document has a few dozen parts, and one for each of its images. */
const MAX_PARTS = 10_000

/** Inflates an archive without keeping anything of it: what its parts say of their sizes may be a lie. */
async function measure(bytes: Buffer, { inflatedMb }: Bounds): Promise<void> {
  const archive = await fromBufferPromise(bytes, { lazyEntries: true })
  atMost(archive.entryCount, MAX_PARTS, 'parts')
  let inflated = 0
  for await (const entry of archive.eachEntry()) {
    for await (const piece of await archive.openReadStreamPromise(entry)) {
      inflated += (piece as Buffer).length
      atMost(inflated, inflatedMb * MB, 'bytes once it is unpacked')
    }
  }
}

const noImage = mammoth.images.imgElement(async () => ({ src: '' }))

/** The text of a Word document. */
export async function docxToText(bytes: Buffer, bounds: Bounds): Promise<string> {
  if (bytes.toString('latin1', 0, 2) !== 'PK')
    throw new FileFault('It is not a Word document (.docx), though it says so.')
  try {
    await measure(bytes, bounds)
    const { value } = await mammoth.convertToHtml(
      { buffer: bytes },
      { convertImage: noImage, externalFileAccess: false },
    )
    return htmlToText(value)
  } catch (error) {
    if (error instanceof FileFault || error instanceof RangeError) throw error
    throw new FileFault(`It could not be read as a Word document: ${(error as Error).message}`)
  }
}
