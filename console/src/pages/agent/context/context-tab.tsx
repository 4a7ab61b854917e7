import { useQuery } from '@tanstack/react-query'
import { retrieveContext } from '../../../api/generated.ts'
import { cn } from '../../../components/class-names.ts'
import { Fold } from '../../../components/fold.tsx'
import { formatNumber } from '../../../components/quantities.ts'
import { Loaded } from '../../../components/states.tsx'
import type { TabProps } from '../tab-props.ts'
import { ContextBar } from './context-bar.tsx'
import { partsOf } from './parts.ts'

/** What the model sees: the context window by part, with the text of each. */
export function ContextTab({ agent, conversationId }: TabProps) {
  const context = useQuery({
    queryKey: ['agent', agent.id, 'context', conversationId],
    queryFn: () => retrieveContext(agent.id, { ...(conversationId && { conversationId }) }),
  })
  return (
    <Loaded query={context}>
      {(context) => {
        const parts = partsOf(context)
        return (
          <div className="grid gap-3">
            <ContextBar
              parts={parts}
              size={context.context_window_size_max}
              used={context.context_window_size_current}
            />
            <div className="grid gap-1.5">
              {parts.map(({ name, tokens, colour, text }) => (
                <Fold
                  key={name}
                  className="bg-card"
                  summary={
                    <>
                      <span className={cn('size-2.5 rounded-sm', colour)} aria-hidden />
                      <span className="flex-1">{name}</span>
                      <span className="text-muted-foreground tabular-nums">{formatNumber(tokens)}</span>
                    </>
                  }
                >
                  <pre className="wrap-anywhere max-h-96 overflow-y-auto whitespace-pre-wrap font-mono text-xs">
                    {text}
                  </pre>
                </Fold>
              ))}
            </div>
            <p className="text-muted-foreground text-xs">
              {formatNumber(context.num_messages)} of {formatNumber(context.num_recall_memory)} stored messages are in
              context; {formatNumber(context.num_archival_memory)} passages in archives.
            </p>
          </div>
        )
      }}
    </Loaded>
  )
}
