import { cn } from '../../components/class-names.ts'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../components/ui/tabs.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { useWide } from '../../components/use-wide.ts'
import { Conversation } from './chat/conversation.tsx'
import { ContextTab } from './context/context-tab.tsx'
import { DataTab } from './data/data-tab.tsx'
import { MemoryTab } from './memory/memory-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import type { TabProps } from './tab-props.ts'
import { ToolsTab } from './tools/tools-tab.tsx'

const TABS = [
  ['memory', 'Memory', MemoryTab],
  ['context', 'Context', ContextTab],
  ['tools', 'Tools', ToolsTab],
  ['data', 'Data', DataTab],
  ['settings', 'Settings', SettingsTab],
] as const

/**
 * In a wide window the conversation stands beside the other parts, but gives its place to the settings, a form beside JSON; in a
 * narrow one it is the first of them.
 */
export function AgentTabs({ agent, conversationId }: TabProps) {
  const wide = useWide()
  const [stored, setTab] = useFilter('tab')
  const first = wide ? 'memory' : 'conversation'
  const tab = stored || first
  const talking = wide ? tab !== 'settings' : tab === 'conversation'
  return (
    <Tabs
      value={tab}
      onValueChange={(value) => setTab(value === first ? '' : value)}
      className="grid min-h-0 flex-1 grid-rows-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 lg:grid-cols-[minmax(0,1fr)_27rem]"
    >
      <TabsList className="min-w-0 lg:col-start-2">
        {!wide && <TabsTrigger value="conversation">Chat</TabsTrigger>}
        {TABS.map(([key, name]) => (
          <TabsTrigger key={key} value={key}>
            {name}
          </TabsTrigger>
        ))}
      </TabsList>
      <div className={cn('min-h-0 flex-col lg:col-start-1 lg:row-span-2 lg:row-start-1', talking ? 'flex' : 'hidden')}>
        <Conversation key={conversationId} place={{ agentId: agent.id, conversationId }} />
      </div>
      {TABS.map(([key, , Content]) => (
        <TabsContent
          key={key}
          value={key}
          tabIndex={0}
          className={cn('min-h-0 overflow-y-auto pb-2', key === 'settings' ? 'lg:col-span-2' : 'lg:col-start-2')}
        >
          <Content agent={agent} conversationId={conversationId} />
        </TabsContent>
      ))}
    </Tabs>
  )
}
