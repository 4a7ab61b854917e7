import { getDocumentProxy } from 'unpdf'
import { atMost, type Bounds, FileFault } from './fault.ts'

type Items = { str?: string; hasEOL?: boolean }[]

/** The text of a PDF, a blank line between pages. */
export async function pdfToText(bytes: Buffer, bounds: Bounds): Promise<string> {
  // The format allows other bytes before its mark, within the first kilobyte.
  if (!bytes.subarray(0, 1024).includes('%PDF-')) throw new FileFault('It is not a PDF, though it says so.')
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { maxImageSize: 0, stopAtErrors: false }).catch(
    (error: Error) => {
      if (error.name === 'PasswordException') throw new FileFault('It is a PDF that opens with a password only.')
      throw new FileFault(`It could not be read as a PDF: ${error.message}`)
    },
  )
  atMost(pdf.numPages, bounds.pages, 'pages')
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = (items as Items).map(({ str = '', hasEOL }) => (hasEOL ? `${str}\n` : str)).join('')
    page.cleanup()
    length += text.length
    atMost(length, bounds.characters, 'characters of text')
    pages.push(text.trim())
  }
  return pages.filter((page) => page !== '').join('\n\n')
}
