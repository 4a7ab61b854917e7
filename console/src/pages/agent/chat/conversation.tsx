import { LoaderCircleIcon } from 'lucide-react'
import { StickToBottom } from 'use-stick-to-bottom'
import { reportError } from '../../../api/problem.ts'
import { EmptyState, ErrorState, LoadingState } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { ApprovalBar } from './approval-bar.tsx'
import { Composer } from './composer.tsx'
import type { Place } from './conversation-id.ts'
import { waitingCalls } from './entries.ts'
import { MessageView } from './message-view.tsx'
import { RunNotice } from './run-notice.tsx'
import { approvalMessage, userMessage } from './send.ts'
import { useConversation } from './use-conversation.ts'
import { useFork } from './use-fork.ts'

/** A conversation with an agent: its messages, the run that goes on, and the next message. */
export function Conversation({ place }: { place: Place }) {
  const { entries, history, live } = useConversation(place)
  const { run } = live
  const say = (text: string) => {
    const { request, shown } = userMessage(text)
    void live.send([request], [shown])
  }
  const fork = useFork(place)
  const waiting = run.running ? [] : waitingCalls(entries)
  if (history.error) return <ErrorState error={history.error} retry={() => void history.refetch()} />
  if (history.loading) return <LoadingState />
  return (
    <section aria-label="Conversation" className="flex min-h-0 flex-1 flex-col gap-3">
      <StickToBottom className="relative min-h-0 flex-1 overflow-y-auto" resize="instant" initial="instant">
        <StickToBottom.Content className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-3 px-1 py-2">
          {history.earlier && (
            <Button variant="link" size="small" onClick={history.earlier}>
              Earlier messages
            </Button>
          )}
          {entries.length === 0 && <EmptyState title="Nothing said yet">Write the first message below.</EmptyState>}
          {entries.map((entry, index) => (
            <MessageView
              key={`${entry.kind}:${entry.id}`}
              entry={entry}
              onFork={fork(entry, entries[index - 1], run.running)}
            />
          ))}
          <div role="status" aria-live="polite">
            {run.running && (
              <p className="flex items-center gap-2 text-muted-foreground">
                <LoaderCircleIcon className="size-4 animate-spin" aria-hidden /> Working…
              </p>
            )}
          </div>
          <RunNotice run={run} onRetry={say} />
        </StickToBottom.Content>
      </StickToBottom>
      <div className="mx-auto grid w-full max-w-3xl gap-2">
        {waiting.length > 0 && (
          <ApprovalBar
            calls={waiting}
            onDecide={(approve, reason) =>
              void live.send([
                approvalMessage(
                  waiting.map(({ id }) => id),
                  approve,
                  reason,
                ),
              ])
            }
          />
        )}
        <Composer running={run.running} onSend={say} onCancel={() => void live.cancel().catch(reportError)} />
      </div>
    </section>
  )
}
