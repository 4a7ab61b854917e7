import { deleteGroup, type Group, listGroups } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { DeleteButton } from '../../components/delete-button.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Page } from '../../layout/page.tsx'
import { Drawing } from './drawing.tsx'

function GroupCard({ group }: { group: Group }) {
  const { id, description, manager_type } = group
  const title = (
    <span className="flex items-center gap-2">
      <Badge>{manager_type.replaceAll('_', ' ')}</Badge>
      <span>{description}</span>
    </span>
  )
  const actions = (
    <DeleteButton what="this group" body="Its agents stay." remove={() => deleteGroup(id)} changes={[['groups']]} />
  )
  return (
    <Card title={title} actions={actions}>
      <Drawing group={group} />
    </Card>
  )
}

/** All groups, each with a drawing of who talks to whom. */
export function GroupsPage() {
  const { rows, error, isLoading, hasMore, loadMore, retry } = useList<Group>(['groups'], (page, options) =>
    listGroups(page, options),
  )
  return (
    <Page title="Groups">
      {error ? <ErrorState error={error} retry={retry} /> : isLoading && <LoadingState />}
      {!isLoading && !error && rows.length === 0 && (
        <EmptyState title="No groups yet">A group is agents that answer together.</EmptyState>
      )}
      <div className="grid gap-3 lg:grid-cols-2 2xl:grid-cols-3">
        {rows.map((group) => (
          <GroupCard key={group.id} group={group} />
        ))}
      </div>
      {hasMore && <Button onClick={loadMore}>More</Button>}
    </Page>
  )
}
