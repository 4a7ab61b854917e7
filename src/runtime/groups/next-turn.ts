import type { StopReason } from '../../resources/messages/schema.ts'
import type { GroupTool } from '../request.ts'
import type { GroupState, Member, SpokenTurn } from './group-state.ts'

/** What a turn has said: its texts, and the name in the call of its tool. */
export interface Said {
  texts: string[]
  chosen?: string | undefined
}

/** The next turn of a group, or the end of its run. */
export type NextTurn = { end: StopReason } | { speaker: Member; tool?: GroupTool; others?: Member[]; endWord?: string }

/** The turns of one run, whatever the group says. */
const MAX_TURNS = 100

/** The turns of a swarm that names no number. */
const SWARM_TURNS = 10

type Policy = (state: GroupState, said: Said) => NextTurn

const isSpeech = ({ tool }: SpokenTurn) => tool !== 'choose_next_speaker'

/** The manager speaks once. */
const managerOnce =
  (tool?: GroupTool): Policy =>
  ({ manager, members, turns }) => {
    if (!manager || turns.length > 0) return { end: 'end_turn' }
    const others = members.filter(({ id }) => id !== manager.id)
    return { speaker: manager, ...(tool && { tool, others }) }
  }

/** Members take turns: the one that has spoken least, in the order of the group. */
const roundRobin: Policy = ({ group, members, turns }) => {
  if (members.length === 0 || turns.length >= (group.max_turns ?? members.length)) return { end: 'end_turn' }
  const spoken = (id: string) => turns.filter(({ agent_id }) => agent_id === id).length
  const least = Math.min(...members.map(({ id }) => spoken(id)))
  return { speaker: members.find(({ id }) => spoken(id) === least)! }
}

/** The manager names each next speaker, until one says the word that ends the conversation. */
const dynamic: Policy = ({ group, manager, members, turns }, { texts, chosen }) => {
  const { max_turns = members.length, termination_token: endWord = '' } = group
  if (!manager || members.length === 0) return { end: 'end_turn' }
  const last = turns.at(-1)
  if (last && !isSpeech(last)) {
    const speaker = members.find(({ name }) => name === chosen)
    return speaker ? { speaker } : { end: 'end_turn' }
  }
  if (endWord !== '' && texts.some((text) => text.includes(endWord))) return { end: 'end_turn' }
  if (turns.filter(isSpeech).length >= max_turns) return { end: 'max_steps' }
  return { speaker: manager, tool: 'choose_next_speaker', others: members, endWord }
}

/** One agent speaks until it hands over; the next message goes to the agent that spoke last. */
const swarm: Policy = ({ group, manager, members, turns, before }, { chosen }) => {
  const all = manager && !members.some(({ id }) => id === manager.id) ? [manager, ...members] : members
  const first = all.find(({ id }) => id === before) ?? manager ?? all[0]
  const speaker = turns.length === 0 ? first : all.find(({ name }) => name === chosen)
  if (!speaker) return { end: 'end_turn' }
  if (turns.length >= (group.max_turns ?? SWARM_TURNS)) return { end: 'max_steps' }
  return { speaker, tool: 'hand_over', others: all.filter(({ id }) => id !== speaker.id) }
}

const POLICIES: Record<GroupState['group']['manager_type'], Policy> = {
  round_robin: roundRobin,
  supervisor: managerOnce('send_message_to_all_agents_in_group'),
  dynamic,
  sleeptime: managerOnce(),
  voice_sleeptime: managerOnce(),
  swarm,
}

/** The next turn of a group's run, whose turns so far are over. `maxTokens`: the tokens that its members may use together. */
export function nextTurn(state: GroupState, said: Said, maxTokens = Number.POSITIVE_INFINITY): NextTurn {
  if (state.turns.at(-1)?.stop_reason === 'requires_approval') return { end: 'requires_approval' }
  if (state.group.max_turns === 0) return { end: 'end_turn' }
  const next = POLICIES[state.group.manager_type](state, said)
  if ('end' in next) return next
  if (state.tokens >= maxTokens) return { end: 'max_tokens_exceeded' }
  return state.turns.length >= MAX_TURNS ? { end: 'max_steps' } : next
}
