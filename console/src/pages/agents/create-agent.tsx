import { useNavigate } from '@tanstack/react-router'
import { PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../components/ui/tabs.tsx'
import { FromFile } from './from-file.tsx'
import { FromTemplate } from './from-template.tsx'
import { NewAgent } from './new-agent.tsx'

const WAYS = [
  ['new', 'New', NewAgent],
  ['template', 'From a template', FromTemplate],
  ['file', 'From a file', FromFile],
] as const

/** The button that creates an agent, in one of three ways; afterwards the agent's page is shown. */
export function CreateAgent() {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const show = (agentId: string) => void navigate({ to: '/agents/$agentId', params: { agentId } })
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <PlusIcon /> Create an agent
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Create an agent">
        <Tabs defaultValue="new">
          <TabsList>
            {WAYS.map(([key, name]) => (
              <TabsTrigger key={key} value={key}>
                {name}
              </TabsTrigger>
            ))}
          </TabsList>
          {WAYS.map(([key, , Way]) => (
            <TabsContent key={key} value={key} className="pt-4">
              <Way onCreated={show} />
            </TabsContent>
          ))}
        </Tabs>
      </Dialog>
    </>
  )
}
