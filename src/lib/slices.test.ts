import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, takeSheet, writeText } from './sheet.ts'
import { addSlice, join, reader, slicesOf } from './slices.ts'

/** Parts of a sheet, some of them next to each other, some empty. */
const parts = fc.array(
  fc.tuple(fc.nat(200), fc.nat(200)).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
  { maxLength: 30 },
)
const written = Array.from({ length: 200 }, (_, n) => String.fromCharCode(33 + (n % 90))).join('')

function slices(chosen: readonly (readonly [number, number])[]) {
  const text = slicesOf(takeSheet())
  writeText(text.sheet, written)
  for (const [from, to] of chosen) addSlice(text, from, to)
  return text
}

test('a text of slices reads as they do one after the other, however much is read at a time', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 50 }), (chosen, room) => {
      const text = slices(chosen)
      const read = reader(text)
      const into = Buffer.alloc(room)
      let all = ''
      for (let length = read(into); length > 0; length = read(into)) all += into.toString('latin1', 0, length)
      const whole = chosen.map(([from, to]) => written.slice(from, to)).join('')
      expect([all, text.length]).toEqual([whole, whole.length])
    }),
  )
})

test('joined it is the same, and its sheet is left to others', () => {
  fc.assert(
    fc.property(parts, (chosen) => {
      const text = slices(chosen)
      const whole = join(text)
      expect(bytesOf(whole).toString()).toBe(chosen.map(([from, to]) => written.slice(from, to)).join(''))
      expect(text.sheet.bytes.length).toBe(0)
    }),
  )
})
