import { useMemo } from 'react'
import type { Place } from './conversation-id.ts'
import { entriesOf } from './entries.ts'
import { addPiece, keyOf } from './pieces.ts'
import { useHistory } from './use-history.ts'
import { useLiveRun } from './use-live-run.ts'

/** The stored messages of a conversation, with those of the run that goes on behind them. */
export function useConversation(place: Place) {
  const history = useHistory(place)
  const live = useLiveRun(place)
  const stored = history.messages
  const entries = useMemo(() => {
    const known = new Set(stored.map(keyOf))
    const coming = live.run.messages.filter((message) => !known.has(keyOf(message)))
    return entriesOf(coming.reduce(addPiece, stored))
  }, [stored, live.run.messages])
  return { entries, history, live }
}
