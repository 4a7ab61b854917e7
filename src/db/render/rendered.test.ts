import { expect, test } from 'vitest'
import type { Archive } from '../../resources/archives/schema.ts'
import type { Rendered } from './rendered.ts'
import { renderList, renderObject, renderTexts } from './wrap.ts'

const archives: Rendered<{ id: string }[]> = renderTexts(['{"id":"a"}', '{"id":"b"}'])

test('a rendered list is wrapped by an object, beside plain values', () => {
  expect(renderObject({ archives, next_cursor: 'b', 'a "name"': undefined }).text).toBe(
    '{"archives":[{"id":"a"},{"id":"b"}],"next_cursor":"b"}',
  )
  expect(renderObject({}).text).toBe('{}')
  expect(renderList([archives, archives]).text).toBe('[[{"id":"a"},{"id":"b"}],[{"id":"a"},{"id":"b"}]]')
})

test('a list knows whether it is empty', () => {
  expect(archives.isEmpty).toBe(false)
  expect(renderTexts([]).isEmpty).toBe(true)
})

test('reading a field of a rendered value does not compile', () => {
  const archive = renderObject({ id: 'a' }) as Rendered<Pick<Archive, 'id'>>
  // @ts-expect-error A rendered value has no fields.
  expect(archive.id).toBe(undefined)
  // @ts-expect-error A rendered list has no items.
  expect(archives[0]).toBe(undefined)
  // @ts-expect-error A rendered value of another type is no archive.
  const other: Rendered<Archive> = renderObject({ id: 1 })
  expect(other.text).toBe('{"id":1}')
})
