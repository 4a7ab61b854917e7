import { useQuery } from '@tanstack/react-query'
import { checkReady } from '../../api/generated.ts'
import { problemOf } from '../../api/problem.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../components/ui/tabs.tsx'
import { Page } from '../../layout/page.tsx'
import { Keys } from './keys.tsx'
import { Organizations } from './organizations.tsx'
import { Users } from './users.tsx'

const REFRESH_MS = 10_000

/** The version of the server, and whether it is ready. */
function Health() {
  const ready = useQuery({ queryKey: ['ready'], queryFn: () => checkReady(), refetchInterval: REFRESH_MS })
  if (ready.error) return <Badge tone="destructive">{problemOf(ready.error).message}</Badge>
  return ready.data ? <Badge tone="success">ready, version {ready.data.version}</Badge> : null
}

const TABS = [
  { name: 'Keys', Content: Keys },
  { name: 'Users', Content: Users },
  { name: 'Organizations', Content: Organizations },
]

/** Keys, users and organizations. Each part needs the scope `admin`; organizations, those of the operating one. */
export function AdminPage() {
  return (
    <Page title="Administration" detail={<Health />}>
      <Tabs defaultValue="Keys" className="flex min-h-0 flex-1 flex-col gap-3">
        <TabsList>
          {TABS.map(({ name }) => (
            <TabsTrigger key={name} value={name}>
              {name}
            </TabsTrigger>
          ))}
        </TabsList>
        {TABS.map(({ name, Content }) => (
          <TabsContent
            key={name}
            value={name}
            className="flex min-h-0 flex-1 flex-col gap-3 data-[state=inactive]:hidden"
          >
            <Content />
          </TabsContent>
        ))}
      </Tabs>
    </Page>
  )
}
