import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listMessagesForRun, type Message } from '../../api/generated.ts'
import { Fold } from '../fold.tsx'
import { ErrorState, LoadingState } from '../states.tsx'
import { textOf } from '../text-of.ts'

/** What led to the call of a tool in a run, in order: the message to the agent, its reasoning in the step of the call, and the call. */
function reasonsOf(messages: readonly Message[], callId: string): [label: string, text: string][] {
  const callIn = (message: Message) => {
    if (message.message_type !== 'tool_call_message' && message.message_type !== 'approval_request_message') return
    const calls = [message.tool_call, ...(Array.isArray(message.tool_calls) ? message.tool_calls : [])]
    return calls.find((call) => call?.tool_call_id === callId)
  }
  const step = messages.find(callIn)?.step_id
  return messages.flatMap((message): [string, string][] => {
    const call = callIn(message)
    if (call) return [['Call', `${call.name} ${call.arguments}`]]
    if (message.message_type === 'user_message') return [['Message', textOf(message.content)]]
    if (message.message_type === 'approval_response_message')
      return [['Approval', message.reason ?? 'The call was approved.']]
    return message.message_type === 'reasoning_message' && message.step_id === step
      ? [['Reasoning', message.reasoning]]
      : []
  })
}

function Reasons({ runId, callId }: { runId: string; callId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', runId, 'messages'],
    queryFn: () => listMessagesForRun(runId, { limit: 200 }),
  })
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <LoadingState />
  const reasons = reasonsOf(data, callId)
  if (reasons.length === 0) return <p className="text-muted-foreground">The messages of the run are gone.</p>
  return (
    <dl className="grid gap-1.5">
      {reasons.map(([label, text]) => (
        <div key={`${label} ${text}`}>
          <dt className="text-muted-foreground text-xs">{label}</dt>
          <dd className="wrap-anywhere whitespace-pre-wrap">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Why an agent changed a block: loaded from the messages of its run once it is unfolded. */
export function Reason(of: { runId: string; callId: string }) {
  const [open, setOpen] = useState(false)
  return (
    <Fold summary="Why" onToggle={setOpen}>
      {open && <Reasons {...of} />}
    </Fold>
  )
}
