import { useQuery } from '@tanstack/react-query'
import { checkReady } from '../../api/generated.ts'
import { problemOf } from '../../api/problem.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../components/ui/tabs.tsx'
import { Page } from '../../layout/page.tsx'
import { FailedJobs } from './failed-jobs.tsx'
import { Keys } from './keys.tsx'
import { Organizations } from './organizations.tsx'
import { Server } from './server.tsx'
import { Users } from './users.tsx'

const REFRESH_MS = 10_000

/** The version of the server, and whether it is ready. */
function Health() {
  const ready = useQuery({ queryKey: ['ready'], queryFn: () => checkReady(), refetchInterval: REFRESH_MS })
  if (ready.error) return <Badge tone="destructive">{problemOf(ready.error).message}</Badge>
  return ready.data ? <Badge tone="success">ready, version {ready.data.version}</Badge> : null
}

/** The parts of the page. `value` becomes a part of ids, which have no spaces. */
const TABS = [
  { value: 'keys', name: 'Keys', Content: Keys },
  { value: 'users', name: 'Users', Content: Users },
  { value: 'organizations', name: 'Organizations', Content: Organizations },
  { value: 'server', name: 'Server', Content: Server },
  { value: 'failed-jobs', name: 'Failed jobs', Content: FailedJobs },
]

/** Keys, users, organizations and the server itself. Each part needs the scope `admin`; the last three, of the operating organization. */
export function AdminPage() {
  return (
    <Page title="Administration" detail={<Health />}>
      <Tabs defaultValue="keys" className="flex min-h-0 flex-1 flex-col gap-3">
        <TabsList>
          {TABS.map(({ value, name }) => (
            <TabsTrigger key={value} value={value}>
              {name}
            </TabsTrigger>
          ))}
        </TabsList>
        {TABS.map(({ value, Content }) => (
          <TabsContent
            key={value}
            value={value}
            className="flex min-h-0 flex-1 flex-col gap-3 data-[state=inactive]:hidden"
          >
            <Content />
          </TabsContent>
        ))}
      </Tabs>
    </Page>
  )
}
