import { useQuery } from '@tanstack/react-query'
import { retrieveBlock } from '../../../api/generated.ts'
import { withEtag } from '../../../api/with-etag.ts'
import { Loaded } from '../../../components/states.tsx'
import { BlockForm } from './block-form.tsx'

interface Props {
  agentId: string
  blockId: string
  onClose: () => void
}

/** Reads the newest version of a block, then edits it. */
export function BlockEditor({ agentId, blockId, onClose }: Props) {
  const block = useQuery({
    queryKey: ['block', blockId, 'edited'],
    queryFn: () => withEtag((options) => retrieveBlock(blockId, {}, options)),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Loaded query={block}>
      {(read) => <BlockForm agentId={agentId} blockId={blockId} read={read} onClose={onClose} />}
    </Loaded>
  )
}
