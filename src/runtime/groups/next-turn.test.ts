import { describe, expect, test } from 'vitest'
import type { GroupState, SpokenTurn } from './group-state.ts'
import { nextTurn } from './next-turn.ts'

const [ada, bob, eve] = ['Ada', 'Bob', 'Eve'].map((name) => ({ id: `agent-${name}`, name }))

const turnOf = (name: string, fields: Partial<SpokenTurn> = {}): SpokenTurn => ({
  ...{ id: 'run', agent_id: `agent-${name}`, agent_type: 'svc_v1_agent', turn: 0, status: 'completed' },
  ...{ stop_reason: 'end_turn', error: null, tool: null },
  ...fields,
})

const stateOf = (group: Omit<GroupState['group'], 'id'>, turns: SpokenTurn[], fields: Partial<GroupState> = {}) => ({
  ...{ group: { id: 'group', ...group }, manager: ada, members: [bob!, eve!], turns, before: null, tokens: 0 },
  ...fields,
})

const NOTHING = { texts: [] }
const CHOICE = turnOf('Ada', { tool: 'choose_next_speaker' })

describe('a group in which members take turns', () => {
  const group = { manager_type: 'round_robin' as const, max_turns: 5 }

  test('goes on with the members that are left when one goes', () => {
    const members = [ada!, eve!]
    const turns = [turnOf('Ada'), turnOf('Bob')]
    expect(nextTurn(stateOf(group, turns, { members }), NOTHING)).toEqual({ speaker: eve })
    expect(nextTurn(stateOf(group, [...turns, turnOf('Eve')], { members }), NOTHING)).toEqual({ speaker: ada })
    expect(nextTurn(stateOf(group, turns, { members: [] }), NOTHING)).toEqual({ end: 'end_turn' })
  })

  test('stops where a member waits for an approval', () => {
    const turns = [turnOf('Bob', { stop_reason: 'requires_approval' })]
    expect(nextTurn(stateOf(group, turns), NOTHING)).toEqual({ end: 'requires_approval' })
  })

  test('ends after a hundred turns, whatever it is told', () => {
    const turns = Array.from({ length: 100 }, () => turnOf('Bob'))
    expect(nextTurn(stateOf({ ...group, max_turns: 1000 }, turns), NOTHING)).toEqual({ end: 'max_steps' })
  })
})

describe('a dynamic group', () => {
  const group = { manager_type: 'dynamic' as const, max_turns: 2, termination_token: 'DONE!' }

  test('has its manager choose behind each speech, until max_turns', () => {
    const choose = { speaker: ada, tool: 'choose_next_speaker', others: [bob, eve], endWord: 'DONE!' }
    expect(nextTurn(stateOf(group, []), NOTHING)).toEqual(choose)
    expect(nextTurn(stateOf(group, [CHOICE]), { texts: [], chosen: 'Eve' })).toEqual({ speaker: eve })
    const turns = [CHOICE, turnOf('Eve')]
    expect(nextTurn(stateOf(group, turns), { texts: ['More.'] })).toEqual(choose)
    expect(nextTurn(stateOf(group, [...turns, CHOICE, turnOf('Bob')]), { texts: ['More.'] })).toEqual({
      end: 'max_steps',
    })
  })

  test('ends with the word of a member, and with a choice of nobody', () => {
    expect(nextTurn(stateOf(group, [CHOICE, turnOf('Eve')]), { texts: ['So we are DONE!'] })).toEqual({
      end: 'end_turn',
    })
    for (const chosen of ['DONE!', undefined]) {
      expect(nextTurn(stateOf(group, [CHOICE]), { texts: [], chosen })).toEqual({ end: 'end_turn' })
    }
  })
})

test('a swarm hands over ten times at most, and begins with its manager', () => {
  const group = { manager_type: 'swarm' as const }
  expect(nextTurn(stateOf(group, []), NOTHING)).toMatchObject({ speaker: ada, others: [bob, eve] })
  expect(nextTurn(stateOf(group, [], { before: 'agent-Eve' }), NOTHING)).toMatchObject({ speaker: eve })
  expect(nextTurn(stateOf(group, [], { before: 'agent-gone', manager: undefined }), NOTHING)).toMatchObject({
    speaker: bob,
  })
  const ten = Array.from({ length: 10 }, () => turnOf('Bob'))
  expect(nextTurn(stateOf(group, ten), { texts: [], chosen: 'Eve' })).toEqual({ end: 'max_steps' })
  expect(nextTurn(stateOf(group, ten), NOTHING)).toEqual({ end: 'end_turn' })
})

test.each(['round_robin', 'dynamic', 'swarm'] as const)('in a group %s without turns nobody speaks', (manager_type) => {
  expect(nextTurn(stateOf({ manager_type, max_turns: 0 }, []), NOTHING)).toEqual({ end: 'end_turn' })
})

test('no turn begins beyond the tokens of the caller', () => {
  const state = stateOf({ manager_type: 'round_robin' }, [turnOf('Bob')], { tokens: 100 })
  expect(nextTurn(state, NOTHING, 100)).toEqual({ end: 'max_tokens_exceeded' })
  expect(nextTurn(state, NOTHING, 101)).toEqual({ speaker: eve })
})
