import { describe, expect, test } from 'vitest'
import { countLines, headerOf, numbered } from './lines.ts'

const shown = (text: string, file_name: string, range = {}, file_type?: string) =>
  numbered(text, { file_name, file_type }, range, 1000).text

describe('the numbered lines of a file', () => {
  test.each([
    ['notes.txt', 'one\r\n\n  two  \nthree\n', '1: one\n2: \n3:   two  \n4: three'],
    ['main.py', 'def f():\r\n    return 1  \n\n\ng()', '1: def f():\n2:     return 1\n3: g()'],
    ['Dockerfile', 'FROM x\n\n  RUN y', '1: FROM x\n2:   RUN y'],
    ['list.yaml', 'a:\n  - b\n\n', '1: a:\n2:   - b'],
    ['data.json', '{\n  "a": 1\n\n}', '1: {\n2: "a": 1\n3: }'],
    ['rows.CSV', ' a,b \n\n c,d', '1: a,b\n2: c,d'],
    [
      'read.me.md',
      '# Title\n\nOne sentence. Another! e.g. this one? Ja. Über allem.\n1. First. 2. Second.',
      '1: # Title\n2: One sentence.\n3: Another! e.g. this one?\n4: Ja.\n5: Über allem.\n6: 1. First.\n7: 2. Second.',
    ],
    ['page.html', '<p>One. Two.</p>', '1: <p>One.\n2: Two.</p>'],
  ])('are by the kind of file: %s', (name, text, lines) => {
    expect(shown(text, name)).toBe(lines)
    expect(countLines(text, { file_name: name })).toBe(lines.split('\n').length)
  })

  test('are by the media type where the name tells nothing', () => {
    expect(shown('One. Two.', 'read', {}, 'text/markdown; charset=utf-8')).toBe('1: One.\n2: Two.')
    expect(shown(' x\n\n y', 'script', {}, 'text/x-python')).toBe('1:  x\n2:  y')
    expect(shown('One. Two.', 'read', {}, 'application/octet-stream')).toBe('1: One. Two.')
  })

  test('are none for an empty file, and for one of blanks that are left out', () => {
    expect([shown('', 'a.txt'), countLines('', { file_name: 'a.txt' })]).toEqual(['', 0])
    expect([shown('\n \n', 'a.py'), countLines('\n \n', { file_name: 'a.py' })]).toEqual(['', 0])
  })

  test('can be asked for by number', () => {
    const text = 'a\nb\nc\nd'
    expect(shown(text, 'a.txt', { start_line: 2, end_line: 3 })).toBe('2: b\n3: c')
    expect(shown(text, 'a.txt', { start_line: 3 })).toBe('3: c\n4: d')
    expect(shown(text, 'a.txt', { end_line: 1 })).toBe('1: a')
    expect(shown(text, 'a.txt', { start_line: 9 })).toBe('')
  })

  test('are no more than there is room for, however long the text is', () => {
    for (const text of ['🐈'.repeat(1_000_000), 'ab\n'.repeat(1_000_000)]) {
      const { text: lines, filled } = numbered(text, { file_name: 'a.txt' }, {}, 100)
      expect(filled).toBe(true)
      expect([...lines].length).toBeGreaterThan(100)
      expect(lines.length).toBeLessThan(250)
    }
    expect(numbered('ab', { file_name: 'a.txt' }, {}, 100)).toEqual({ text: '1: ab', filled: false })
  })
})

test('a header tells what is shown, and how much there is', () => {
  expect(headerOf({}, 1)).toBe('[Viewing file start (out of 1 line)]')
  expect(headerOf({ start_line: 2, end_line: 4 }, 9)).toBe('[Viewing lines 2 to 4 (out of 9 lines)]')
  expect(headerOf({ start_line: 2 }, 9)).toBe('[Viewing lines 2 to the end (out of 9 lines)]')
  expect(headerOf({ end_line: 4 }, null)).toBe('[Viewing lines 1 to 4]')
})
