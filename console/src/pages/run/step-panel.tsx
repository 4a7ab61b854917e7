import { useQuery } from '@tanstack/react-query'
import { listMessagesForStep, retrieveMetricsForStep, retrieveTraceForStep, type Step } from '../../api/generated.ts'
import { JsonView } from '../../components/json-view.tsx'
import { formatDuration } from '../../components/quantities.ts'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../components/ui/tabs.tsx'
import { entriesOf } from '../agent/chat/entries.ts'
import { MessageView } from '../agent/chat/message-view.tsx'

async function readStep(stepId: string) {
  const [messages, metrics, trace] = await Promise.all([
    listMessagesForStep(stepId, { limit: 200, order: 'asc' }),
    // A step that goes on has no metrics yet.
    retrieveMetricsForStep(stepId).catch(() => undefined),
    retrieveTraceForStep(stepId),
  ])
  return { messages, metrics, trace }
}

/** One step: its messages and times, its error, and the exact request to the model with the response. */
export function StepPanel({ step }: { step: Step }) {
  const details = useQuery({ queryKey: ['step', step.id], queryFn: () => readStep(step.id) })
  return (
    <Loaded query={details}>
      {({ messages, metrics, trace }) => (
        <Tabs defaultValue="messages">
          <TabsList>
            <TabsTrigger value="messages">Messages</TabsTrigger>
            <TabsTrigger value="request">Request</TabsTrigger>
            <TabsTrigger value="response">Response</TabsTrigger>
            <TabsTrigger value="step">Step</TabsTrigger>
          </TabsList>
          <TabsContent value="messages" className="grid gap-3 pt-3">
            {step.error_data && <JsonView label="Error" value={step.error_data} />}
            <p className="text-muted-foreground text-xs">
              Model {formatDuration(metrics?.llm_request_ns)}, tools {formatDuration(metrics?.tool_execution_ns)}, whole
              step {formatDuration(metrics?.step_ns)}
            </p>
            {entriesOf(messages).map((entry) => (
              <MessageView key={`${entry.kind}:${entry.id}`} entry={entry} />
            ))}
          </TabsContent>
          {(['request', 'response'] as const).map((side) => (
            <TabsContent key={side} value={side} className="pt-3">
              {trace ? (
                <JsonView label={`The ${side}`} value={side === 'request' ? trace.request_json : trace.response_json} />
              ) : (
                <EmptyState title={`The ${side} is not stored`}>
                  Requests and responses are kept for some days.
                </EmptyState>
              )}
            </TabsContent>
          ))}
          <TabsContent value="step" className="pt-3">
            <JsonView label="The step" value={step} />
          </TabsContent>
        </Tabs>
      )}
    </Loaded>
  )
}
