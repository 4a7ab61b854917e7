import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredMessage } from '../../resources/messages/table.ts'
import { renderHistory } from '../history.ts'
import { openTail, slidingCut } from './cut.ts'
import { fold } from './fold.ts'
import { chunksOf } from './transcript.ts'

type Fields = Pick<StoredMessage, 'role'> & Partial<StoredMessage>

const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } })
const returned = (tool_call_id: string) => ({ tool_call_id, status: 'success' as const, func_response: 'Seen.' })
const text = (text: string) => [{ type: 'text', text }]

/** The rows of one step, by the calls that run at once and those that wait for an approval. */
function step(name: string, now: number, waiting: number, isOpen = false): Fields[] {
  const ids = (count: number, kind: string) => Array.from({ length: count }, (_, n) => `${name}-${kind}${n}`)
  const [running, asked] = [ids(now, 'now'), ids(waiting, 'waiting')]
  const answered = [...running, ...asked]
  const step_id = name
  return [
    { role: 'assistant', step_id, content: text(`Answer ${name}`), tool_calls: running.map(call) },
    ...(waiting > 0 ? [{ role: 'approval' as const, step_id, tool_calls: asked.map(call) }] : []),
    ...(waiting > 0 && !isOpen ? [{ role: 'approval' as const, approvals: [{ approve: true }] }] : []),
    ...(answered.length > 0 && !isOpen
      ? [{ role: 'tool' as const, step_id, tool_returns: answered.map(returned) }]
      : []),
  ]
}

const userRow = (n: number): Fields => ({ role: 'user', content: text(`Message ${n}`) })

const rowsOf = (fields: readonly Fields[]) =>
  fields.map((row, n) => ({
    content: [],
    created_at: '2026-01-01T00:00:00Z',
    ...row,
    id: `message-${n}`,
  })) as StoredMessage[]

/** Histories of messages, steps with calls, and at the end maybe a request that waits. */
const histories = fc
  .record({
    turns: fc.array(
      fc.record({
        summary: fc.boolean(),
        users: fc.integer({ min: 0, max: 2 }),
        steps: fc.array(fc.record({ now: fc.nat(2), waiting: fc.nat(2) }), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    pending: fc.option(fc.record({ now: fc.nat(2), waiting: fc.integer({ min: 1, max: 3 }) }), { nil: undefined }),
  })
  .map(({ turns, pending }) => ({
    pending: pending !== undefined,
    rows: rowsOf([
      ...turns.flatMap(({ summary, users, steps }, n): Fields[] => [
        ...(summary ? [{ role: 'summary' as const, content: text('Before.') }] : []),
        ...Array.from({ length: users }, () => userRow(n)),
        ...steps.flatMap(({ now, waiting }, at) => step(`${n}-${at}`, now, waiting)),
      ]),
      ...(pending ? [userRow(99), ...step('end', pending.now, pending.waiting, true)] : []),
    ]),
  }))

const callsIn = (rows: readonly StoredMessage[]) => rows.flatMap((row) => (row.tool_calls ?? []).map(({ id }) => id))
const returnsIn = (rows: readonly StoredMessage[]) =>
  rows.flatMap((row) => (row.tool_returns ?? []).map(({ tool_call_id }) => tool_call_id))

/** Checks that what stays of a history is whole: a provider takes it, and what waits still waits. */
function checkKept(rows: readonly StoredMessage[], kept: readonly StoredMessage[]) {
  const gone = rows.slice(0, rows.length - kept.length)
  expect(rows.slice(gone.length)).toEqual(kept)
  for (const id of callsIn(gone)) expect(returnsIn(kept)).not.toContain(id)
  for (const id of returnsIn(kept)) expect(callsIn(kept)).toContain(id)
  const open = (part: readonly StoredMessage[]) => callsIn(part).filter((id) => !returnsIn(part).includes(id))
  expect(open(kept)).toEqual(open(rows))
  const [summary] = rowsOf([{ role: 'summary', content: text('Before.') }])
  const prompt = renderHistory([summary!, ...kept], 'System', { provider: 'p', model: 'm', maxReturn: 100 })
  expect(JSON.stringify(prompt)).not.toContain('[tool return]')
  expect(prompt[1]!.role).toBe('user')
}

describe('a compaction of any history', () => {
  test('parts no call from its return, and leaves what waits for an approval, when it takes all', () => {
    fc.assert(
      fc.property(histories, ({ rows, pending }) => {
        const kept = openTail(rows)
        checkKept(rows, kept)
        expect(kept.length > 0).toBe(pending)
        if (pending) expect(rows.at(-1)).toBe(kept.at(-1))
      }),
    )
  })

  test('parts no call from its return, and leaves what waits for an approval, when its window slides', () => {
    const shares = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(histories, shares, fc.nat(20), ({ rows, pending }, share, most) => {
        const place = slidingCut(rows, share, (rest) => rest.length <= most)
        if (place === undefined) return
        expect(place).toBeGreaterThan(0)
        const kept = rows.slice(place)
        expect(kept.length).toBeLessThanOrEqual(most)
        checkKept(rows, kept)
        if (pending) expect(kept.at(-1)!.role).toBe('approval')
      }),
    )
  })

  test('always folds into a text that is short enough', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 5_000 }), ({ rows }, length) => {
        const folded = fold(rows, length)
        expect(folded.length).toBeLessThanOrEqual(length)
        expect(folded).not.toBe('')
      }),
    )
  })

  test('gives a summarizer every line, in parts that are short enough', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.integer({ min: 1, max: 50 }), (lines, length) => {
        const chunks = chunksOf(lines, length)
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(length)
        expect(chunks.join('').replaceAll('\n', '')).toBe(lines.join('').replaceAll('\n', ''))
      }),
    )
  })
})
