import { describe, expect, test } from 'vitest'
import { docx, pdf, zip } from '../../test/documents.ts'
import { append, openTempFile } from '../lib/temp-file.ts'
import { BOUNDS, type Bounds } from './fault.ts'
import { type Reading, readFile } from './read.ts'
import { typeOf } from './types.ts'

/** Reads a file as it was uploaded under this name. */
async function read(name: string, content: string | Buffer, size = 300, bounds: Partial<Bounds> = {}) {
  const scratch = await openTempFile()
  try {
    await append(scratch, Buffer.from(content as string))
    const type = typeOf('application/octet-stream', name)!
    return await readFile({ from: { fd: scratch.fd }, type, kind: { file_name: '' }, size }, undefined, {
      ...BOUNDS,
      ...bounds,
    })
  } finally {
    await scratch.close()
  }
}

function textOf(reading: Reading): string {
  expect(reading).not.toHaveProperty('fault')
  return (reading as { text: string }).text
}
function chunksOf(reading: Reading): string[] {
  expect(reading).not.toHaveProperty('fault')
  return (reading as { chunks: string[] }).chunks
}

describe('the text', () => {
  test.each<[string, string, string | Buffer, string]>([
    ['of text', 'a.txt', 'Grüße 😀\n', 'Grüße 😀\n'],
    ['of UTF-8 with a byte order mark', 'a.txt', '\ufeffhello', 'hello'],
    ['of UTF-16 with a byte order mark', 'a.txt', Buffer.from('\ufeffäö', 'utf16le'), 'äö'],
    ['of big-endian UTF-16', 'a.txt', Buffer.from('\ufeffäö', 'utf16le').swap16(), 'äö'],
    ['of Markdown, as it is', 'a.md', '# A\n\n*b*', '# A\n\n*b*'],
    ['of JSON, as it is', 'a.json', '{"a": [1, 2]}', '{"a": [1, 2]}'],
    ['of source code, as it is', 'a.py', 'def f():\n    return 1\n', 'def f():\n    return 1\n'],
    ['of a table, as it is', 'a.csv', 'a,b\n1,"x\ny"\n', 'a,b\n1,"x\ny"\n'],
    ['of special tokens of a model', 'a.txt', 'a <|endoftext|> b', 'a <|endoftext|> b'],
    [
      'of a page, without markup and scripts',
      'a.html',
      '<style>p{}</style><script>alert(1)</script><h1>Hi</h1><p>A &amp; <a href="https://x">B</a><img src="y"></p>',
      'Hi\n\nA & B',
    ],
    ['of the pages of a PDF', 'a.pdf', pdf(['First page', '', 'Third page']), 'First page\n\nThird page'],
    ['of the paragraphs of a Word document', 'a.docx', docx(['First', 'Second &amp; last']), 'First\n\nSecond & last'],
  ])('%s', async (_, name, content, expected) => {
    expect(textOf(await read(name, content))).toBe(expected)
  })
})

describe('the pieces', () => {
  test('are of the length asked for, overlap, and hold everything in its order', async () => {
    const words = Array.from({ length: 2_000 }, (_, n) => `word${n}`)
    const chunks = chunksOf(await read('a.txt', words.join(' '), 200))
    const numbers = chunks.map((chunk) => chunk.split(' ').map((word) => Number(word.slice(4))))
    expect(new Set(numbers.flat()).size).toBe(2_000)
    for (const [n, list] of numbers.slice(1).entries()) {
      expect(list[0]).toBeLessThanOrEqual(numbers[n]!.at(-1)! + 1)
      expect(list[0]).toBeGreaterThan(numbers[n]![0]!)
    }
    expect(chunks.length).toBeGreaterThan(20)
    expect(chunks.length).toBeLessThan(100)
  })

  test('are the same for the same text, so that a server can go on where another one ended', async () => {
    const text = '# Title\n\nSome text of it.\n\n'.repeat(500)
    const first = chunksOf(await read('a.md', text))
    const type = typeOf('', 'a.md')!
    expect(chunksOf(await readFile({ from: { text }, type, kind: { file_name: '' }, size: 300 }))).toEqual(first)
  })

  test('of a table are whole rows under its heads', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => `"Name, ${n}\nof two lines",${n}`)
    const chunks = chunksOf(await read('a.csv', `name,number\n${rows.join('\n')}\n`, 100))
    expect(chunks.length).toBeGreaterThan(10)
    for (const chunk of chunks) expect(chunk).toMatch(/^name,number\n("Name, \d+\nof two lines",\d+(\n|$))+$/)
    expect(chunks.join('\n').match(/"Name/g)).toHaveLength(200)
  })

  test.each([
    ['without a place to cut', '7'.repeat(100_000)],
    ['of characters of two halves', '😀'.repeat(50_000)],
    ['of one character a line', 'x\n'.repeat(50_000)],
    ['of random letters', Array.from({ length: 50_000 }, (_, n) => ((n * 7919) % 36).toString(36)).join('')],
  ])('of a text %s are whole characters, and all of them', async (_, text) => {
    const chunks = chunksOf(await read('a.txt', text, 100))
    expect(chunks.length).toBeGreaterThan(20)
    for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true)
    expect(chunks.join('').length).toBeGreaterThanOrEqual(text.replaceAll('\n', '').length)
  })

  test('may be as small as one token, and larger than the text', async () => {
    expect(chunksOf(await read('a.txt', 'one two three', 1)).length).toBeGreaterThan(2)
    expect(chunksOf(await read('a.txt', 'one two three', 2_147_483_647))).toEqual(['one two three'])
  })
})

const bomb = (megabytes: number, declared?: number) => ({
  name: 'word/media/bomb.bin',
  bytes: Buffer.alloc(megabytes * 1024 * 1024),
  ...(declared !== undefined && { declared }),
})

describe('what cannot be read says why', () => {
  test.each<[string, string, string | Buffer, RegExp]>([
    ['broken UTF-8', 'a.txt', Buffer.from('ok\nok \xe9t\xe9', 'latin1'), /not valid UTF-8: byte 6 \(line 2\)/],
    ['UTF-8 cut off', 'a.txt', Buffer.from('\ufffd😀').subarray(0, 5), /not valid UTF-8: byte 3 \(line 1\)/],
    ['broken UTF-16', 'a.txt', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), /not valid UTF-16/],
    ['bytes that are no text', 'a.txt', 'a\0b', /character 1 is a NUL/],
    ['nothing', 'a.txt', '', /holds no text/],
    ['blanks', 'a.md', ' \n\t', /holds no text/],
    ['a PDF of images', 'a.pdf', pdf(['', '']), /holds no text/],
    ['a PDF that is none', 'a.pdf', 'hello', /not a PDF/],
    ['a PDF cut off', 'a.pdf', '%PDF-1.7\nhello', /could not be read as a PDF/],
    ['a Word document that is none', 'a.docx', 'hello', /not a Word document/],
    ['a Word document cut off', 'a.docx', docx(['x']).subarray(0, 200), /could not be read as a Word document/],
    ['an archive of something else', 'a.docx', zip([{ name: 'x', bytes: Buffer.from('y') }]), /as a Word document/],
    ['a page nested without end', 'a.html', '<div>'.repeat(20_000), /nested too deeply/],
  ])('%s', async (_, name, content, fault) => {
    expect(await read(name, content)).toEqual({ fault: expect.stringMatching(fault) })
  })
})

describe('what takes too much is given up', () => {
  test('a zip bomb, by what it unpacks to', async () => {
    expect(await read('a.docx', docx(['x'], [bomb(200)]))).toEqual({
      fault: expect.stringMatching(/more than 134,217,728 bytes once it is unpacked/),
    })
  })

  test('a zip bomb that lies about its size', async () => {
    expect(await read('a.docx', docx(['x'], [bomb(200, 10)]))).toEqual({ fault: expect.any(String) })
  })

  test('a PDF of 10,000 pages', async () => {
    expect(await read('a.pdf', pdf(Array(10_000).fill('x')))).toEqual({
      fault: expect.stringMatching(/more than 5,000 pages/),
    })
  })

  test('a PDF with a page that unpacks without end: memory beside the heap counts', async () => {
    const page = Buffer.alloc(700 * 1024 * 1024, ' ')
    expect(await read('a.pdf', pdf([], [page]))).toEqual({ fault: expect.stringMatching(/more memory/) })
  })

  test('a file that fills the heap of its thread', async () => {
    const html = '<b>x</b>'.repeat(400_000)
    expect(await read('a.html', html, 300, { heapMb: 64 })).toEqual({ fault: expect.stringMatching(/more memory/) })
  })

  test('a file with one value that is larger than the heap: it ends its process and not the server', async () => {
    const job = { from: { text: 'one word '.repeat(7_000_000) }, type: typeOf('', 'a.txt')!, kind: { file_name: '' } }
    expect(await readFile({ ...job, size: 300 }, undefined, { ...BOUNDS, heapMb: 32 })).toEqual({
      fault: expect.stringMatching(/more memory/),
    })
  })

  test('a file that takes longer than it may', async () => {
    expect(await read('a.txt', 'word '.repeat(1_000_000), 300, { milliseconds: 500 })).toEqual({
      fault: expect.stringMatching(/longer to read than 0.5 seconds/),
    })
  })

  test('a text longer than a file may have, and one of more pieces', async () => {
    expect(await read('a.txt', 'x'.repeat(2_000), 300, { characters: 1_000 })).toEqual({
      fault: expect.stringMatching(/more than 1,000 characters/),
    })
    expect(await read('a.txt', 'x y '.repeat(2_000), 1, { chunks: 100 })).toEqual({
      fault: expect.stringMatching(/more than 100 passages/),
    })
  })
})

test('a reading that is called off ends at once', async () => {
  const off = new AbortController()
  const reading = readFile(
    { from: { text: 'word '.repeat(500_000) }, type: typeOf('', 'a.txt')!, kind: { file_name: '' }, size: 300 },
    off.signal,
  )
  off.abort(new Error('off'))
  await expect(reading).rejects.toThrow('off')
})
