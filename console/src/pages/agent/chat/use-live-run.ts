import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { streamEvents } from '../../../api/events.ts'
import type { Message, StreamEvent } from '../../../api/generated.ts'
import { problemOf } from '../../../api/problem.ts'
import { type BegunRun, begunKey } from './begun-run.ts'
import { cancelRuns, type Place, readActiveRun, sendPath } from './conversation-id.ts'
import { addPiece, isMessage } from './pieces.ts'
import { backgroundRun } from './send.ts'
import { historyKey } from './use-history.ts'

/** The state of the run that this page follows. */
export interface LiveRun {
  messages: Message[]
  running: boolean
  error?: string
  stopReason?: string
}

const QUIET: LiveRun = { messages: [], running: false }

function withEvent(run: LiveRun, event: StreamEvent): LiveRun {
  if (isMessage(event)) return { ...run, messages: addPiece(run.messages, event) }
  if (event.message_type === 'stop_reason') return { ...run, stopReason: event.stop_reason }
  if (event.message_type === 'error_message') return { ...run, error: event.detail ?? event.message }
  return run
}

/**
 * Sends messages and shows their run token by token. A run that goes on when the page is opened is followed from its beginning.
 * After the run, what it may have changed is read again.
 */
export function useLiveRun(place: Place) {
  const client = useQueryClient()
  const [run, setRun] = useState(QUIET)
  const abort = useRef<AbortController>(null)
  const { agentId, conversationId } = place

  const follow = useCallback(
    async (path: string, body: unknown, first: Message[] = []) => {
      abort.current?.abort()
      abort.current = new AbortController()
      const { signal } = abort.current
      setRun({ messages: first, running: true })
      try {
        for await (const event of streamEvents(path, body, signal)) setRun((now) => withEvent(now, event))
      } catch (error) {
        if (signal.aborted) return
        setRun((now) => ({ ...now, error: problemOf(error).message }))
      }
      await client.invalidateQueries({ queryKey: historyKey({ agentId, conversationId }) })
      if (signal.aborted) return
      setRun(({ error, stopReason, messages }) => ({
        running: false,
        // Of a failed run nothing may be stored: its messages stay visible.
        messages: error ? messages : [],
        ...(error && { error }),
        ...(stopReason && { stopReason }),
      }))
      void client.invalidateQueries({ queryKey: ['agent', agentId] })
      void client.invalidateQueries({ queryKey: ['runs'] })
    },
    [client, agentId, conversationId],
  )

  useEffect(() => {
    let left = false
    setRun(QUIET)
    const begun = client.getQueryData<BegunRun>(begunKey(conversationId))
    if (begun) {
      void follow(`/v1/runs/${begun.runId}/stream`, {}, [begun.shown]).then(() => {
        if (!left) client.removeQueries({ queryKey: begunKey(conversationId) })
      })
    } else {
      void readActiveRun({ agentId, conversationId })
        .then((active) => {
          if (left || !active?.background || abort.current?.signal.aborted === false) return
          return follow(`/v1/runs/${active.id}/stream`, {})
        })
        .catch(() => undefined)
    }
    return () => {
      left = true
      abort.current?.abort()
    }
  }, [client, follow, agentId, conversationId])

  const send = (messages: object[], shown: Message[] = []) => follow(sendPath(place), backgroundRun(messages), shown)

  return { run, send, cancel: () => cancelRuns(place) }
}
