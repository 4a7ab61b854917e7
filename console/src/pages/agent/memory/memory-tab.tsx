import { useQuery } from '@tanstack/react-query'
import { listBlocksOfAgent } from '../../../api/generated.ts'
import { EmptyState, Loaded } from '../../../components/states.tsx'
import type { TabProps } from '../tab-props.ts'
import { AddBlock } from './add-block.tsx'
import { BlockCard } from './block-card.tsx'

/** The memory blocks of an agent, edited in place. */
export function MemoryTab({ agent }: TabProps) {
  const blocks = useQuery({
    queryKey: ['agent', agent.id, 'blocks'],
    queryFn: () => listBlocksOfAgent(agent.id, { limit: 200 }),
  })
  return (
    <Loaded query={blocks}>
      {(blocks) => (
        <div className="grid gap-3">
          {blocks.length === 0 && (
            <EmptyState title="No memory blocks">A block is always in front of the agent.</EmptyState>
          )}
          {blocks.map((block) => (
            <BlockCard key={block.id} agentId={agent.id} block={block} />
          ))}
          <AddBlock agentId={agent.id} />
        </div>
      )}
    </Loaded>
  )
}
