import { expect, test } from 'vitest'
import { abridged, changedWords } from './changed-text.ts'

test('a change of a text is shown word by word', () => {
  expect(changedWords('Ada likes tea.\n', 'Ada likes green tea.\n')).toEqual([
    { kind: 'same', text: 'Ada likes ' },
    { kind: 'added', text: 'green ' },
    { kind: 'same', text: 'tea.\n' },
  ])
  expect(changedWords('', 'Ada')).toEqual([{ kind: 'added', text: 'Ada' }])
})

test('texts that have little in common are shown as a whole', () => {
  const words = (letter: string) => Array.from({ length: 3000 }, (_, index) => `${letter}${index}`).join(' - ')
  const [before, after] = [words('a'), words('b')]
  expect(changedWords(before, after)).toEqual([
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ])
})

test('of a long unchanged part the surroundings of the change are shown', () => {
  const long = '🌱'.repeat(500)
  const same = (text: string) => ({ kind: 'same' as const, text })
  const added = { kind: 'added' as const, text: 'new' }
  const near = '🌱'.repeat(80)
  expect(abridged([same(long), added, same(long), added, same(long)])).toEqual([
    same(` … ${near}`),
    added,
    same(`${near} … ${near}`),
    added,
    same(`${near} … `),
  ])
  expect(abridged([same(long)])).toEqual([same(long)])
})
