import { expect, test } from 'vitest'
import type { Message } from '../../../api/generated.ts'
import { entriesOf, waitingCalls } from './entries.ts'
import { addPiece } from './pieces.ts'

const at = { id: 'message-1', otid: 'o1', date: '2026-11-23T12:00:00.000Z' }

const pieces: Message[] = [
  { ...at, message_type: 'reasoning_message', source: 'reasoner_model', reasoning: 'They ' },
  { ...at, message_type: 'reasoning_message', source: 'reasoner_model', reasoning: 'ask.' },
  { ...at, message_type: 'tool_call_message', tool_call: { name: 'roll', tool_call_id: 'a' } },
  { ...at, message_type: 'tool_call_message', tool_call: { arguments: '{"sides":', tool_call_id: 'a' } },
  { ...at, message_type: 'tool_call_message', tool_call: { name: 'look', arguments: '{}', tool_call_id: 'b' } },
  { ...at, message_type: 'tool_call_message', tool_call: { arguments: ' 6}', tool_call_id: 'a' } },
]

const returned = (id: string, tool_return: string, status: 'success' | 'error'): Message => ({
  id: `return-${id}`,
  date: at.date,
  message_type: 'tool_return_message',
  tool_return,
  status,
  tool_call_id: id,
})

test('pieces of a stream become the messages that they are pieces of, parallel calls too', () => {
  const entries = entriesOf(pieces.reduce(addPiece, [] as Message[]))
  expect(entries).toMatchObject([
    { kind: 'reasoning', text: 'They ask.' },
    { kind: 'tool', name: 'roll', arguments: '{"sides": 6}' },
    { kind: 'tool', name: 'look', arguments: '{}' },
  ])
})

test('a return stands with its call, whatever comes between them', () => {
  const messages = [
    ...pieces.reduce(addPiece, [] as Message[]),
    returned('b', 'No.', 'error'),
    returned('a', '4', 'success'),
  ]
  const calls = entriesOf(messages).filter(({ kind }) => kind === 'tool')
  expect(calls).toMatchObject([{ result: { text: '4', failed: false } }, { result: { text: 'No.', failed: true } }])
})

test('a call waits for a person until it is approved, denied or returned', () => {
  const request: Message = {
    ...at,
    message_type: 'approval_request_message',
    tool_calls: ['a', 'b', 'c'].map((tool_call_id) => ({ name: 'buy', arguments: '{}', tool_call_id })),
  }
  const response: Message = {
    ...at,
    id: 'message-2',
    message_type: 'approval_response_message',
    approvals: [{ type: 'approval', tool_call_id: 'a', approve: false, reason: 'Too dear.' }],
  }
  const waits = (messages: Message[]) => waitingCalls(entriesOf(messages)).map(({ id }) => id)
  expect(waits([request])).toEqual(['a', 'b', 'c'])
  expect(waits([request, response, returned('c', 'done', 'success')])).toEqual(['b'])
  expect(entriesOf([request, response])[0]).toMatchObject({ approval: { approved: false, reason: 'Too dear.' } })
})
