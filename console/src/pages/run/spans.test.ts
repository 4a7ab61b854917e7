import { expect, test } from 'vitest'
import type { RunSpan } from '../../api/generated.ts'
import { rowsOf } from './spans.ts'

const BEGIN = Date.parse('2026-11-23T12:00:00.000Z')

const span = (span_id: string, ms: number, duration?: number, parent?: string): RunSpan => ({
  span_id,
  name: 'agent_step',
  start_time: new Date(BEGIN + ms).toISOString(),
  status: 'unset',
  attributes: {},
  ...(duration !== undefined && { duration_ns: duration * 1e6 }),
  ...(parent && { parent_span_id: parent }),
})

test('spans stand below their parent, where they began and as long as they took; open ones reach until now', () => {
  const spans = [
    span('late', 60, undefined, 'run'),
    span('run', 0),
    span('early', 20, 30, 'run'),
    span('tool', 30, 10, 'early'),
  ]
  const rows = rowsOf(spans, BEGIN + 100)
  expect(rows.map(({ span, depth, left, width }) => [span.span_id, depth, left, width])).toEqual([
    ['run', 0, 0, 100],
    ['early', 1, 20, 30],
    ['tool', 2, 30, 10],
    ['late', 1, 60, 40],
  ])
})

test('a run without spans has no rows, and a span whose parent is missing is shown all the same', () => {
  expect(rowsOf([], BEGIN)).toEqual([])
  expect(rowsOf([span('orphan', 0, 0, 'gone')], BEGIN)).toMatchObject([{ depth: 0, left: 0, width: 0 }])
})
