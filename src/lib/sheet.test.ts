import { expect, test } from 'vitest'
import { bytesOf, leaveSheet, takeSheet, writeBytes, writeText } from './sheet.ts'

const texts = ['', '"é"', '€'.repeat(40_000), `"${'😀'.repeat(50_000)}"`, 'x', '\ud800', 'a'.repeat(5_000_000)]

test('texts are found where they were written, in UTF-8, whatever their lengths', () => {
  const sheet = takeSheet()
  const places = texts.map((text) => writeText(sheet, text))
  expect(places.map((place) => bytesOf(sheet, place).toString())).toEqual(texts.map((text) => text.toWellFormed()))
  expect(bytesOf(sheet).equals(Buffer.from(texts.join('')))).toBe(true)
})

test('what one holds is its own, whatever others take from it or are left', () => {
  const [one, other] = [takeSheet(), takeSheet()]
  writeText(one, 'one')
  const place = writeText(other, 'other')
  writeBytes(one, bytesOf(other, place))
  leaveSheet(other)
  for (const length of [1, 100_000, 1_000_000]) writeText(takeSheet(), 'x'.repeat(length))
  expect(bytesOf(one).toString()).toBe('oneother')
})

test('a sheet that was left is empty: what is written to it later harms nobody who has it now', () => {
  const left = takeSheet()
  leaveSheet(left)
  leaveSheet(left)
  const [one, other] = [takeSheet(), takeSheet()]
  writeText(one, 'one')
  writeText(left, 'left')
  writeText(other, 'other')
  expect([one, other].map((sheet) => bytesOf(sheet).toString())).toEqual(['one', 'other'])
})
