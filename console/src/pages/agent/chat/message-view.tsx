import { BrainIcon, FoldVerticalIcon, ScrollTextIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Fold } from '../../../components/fold.tsx'
import { Markdown } from '../../../components/markdown.tsx'
import type { Entry } from './entries.ts'
import { ToolCall } from './tool-call.tsx'
import { UserMessage } from './user-message.tsx'

const FOLDED: Record<string, [label: string, icon: ReactNode]> = {
  reasoning: ['Reasoning', <BrainIcon key="icon" className="size-3.5 text-muted-foreground" />],
  summary: ['Summary of earlier messages', <FoldVerticalIcon key="icon" className="size-3.5 text-muted-foreground" />],
  system: ['System prompt', <ScrollTextIcon key="icon" className="size-3.5 text-muted-foreground" />],
}

interface Props {
  entry: Entry
  /** Sends the text of a user's message again in a fork of the conversation; absent while that can't be done. */
  onFork?: ((text: string) => void) | undefined
}

/** One entry of a conversation. */
export function MessageView({ entry, onFork }: Props) {
  if (entry.kind === 'tool') return <ToolCall entry={entry} />
  if (entry.kind === 'user') return <UserMessage text={entry.text} onFork={onFork} />
  if (entry.kind === 'assistant') {
    return (
      <article aria-label="Answer of the agent">
        <Markdown text={entry.text} />
      </article>
    )
  }
  const [label, icon] = FOLDED[entry.kind] ?? [entry.kind, null]
  return (
    <Fold
      className="border-dashed"
      summary={
        <>
          {icon}
          <span className="text-muted-foreground">{label}</span>
        </>
      }
    >
      <p className="wrap-anywhere max-h-96 overflow-y-auto whitespace-pre-wrap text-muted-foreground">{entry.text}</p>
    </Fold>
  )
}
