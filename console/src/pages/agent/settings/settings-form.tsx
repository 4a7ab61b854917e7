import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'react'
import { toast } from 'sonner'
import { type Agent, modifyAgent } from '../../../api/generated.ts'
import { problemOf, reportError } from '../../../api/problem.ts'
import { useAction } from '../../../api/use-action.ts'
import type { Versioned } from '../../../api/with-etag.ts'
import { CodeEditor } from '../../../components/editor/code-editor.tsx'
import { SchemaForm } from '../../../components/form/schema-form.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../../components/ui/tabs.tsx'
import { changesOf, formSchema, type Settings, settingsOf, UI } from './settings-schema.ts'

interface Props {
  agentId: string
  read: Versioned<Agent>
  /** The schema of the body that changes an agent. */
  schema: RJSFSchema
}

function parsed(text: string): Settings | undefined {
  try {
    return JSON.parse(text) as Settings
  } catch {
    return undefined
  }
}

function reportSettingsError(error: unknown) {
  if (problemOf(error).status !== 412) return reportError(error)
  toast.error('The agent has changed since you opened its settings. Reload the page, then change them again.')
}

/** One set of settings, edited as a form or as JSON; a save sends only what was changed. */
export function SettingsForm({ agentId, read, schema }: Props) {
  const before = settingsOf(read.data)
  const [text, setText] = useState(() => JSON.stringify(before, null, 2))
  const settings = parsed(text)
  const changes = settings ? changesOf(before, settings) : {}
  const { run, pending } = useAction(() => modifyAgent(agentId, changes, { ifMatch: read.etag }), {
    changes: [['agent', agentId], ['agents'], ['tags']],
    done: 'Saved the settings',
    onError: reportSettingsError,
  })
  return (
    <div className="grid gap-3">
      <Tabs defaultValue="form">
        <TabsList>
          <TabsTrigger value="form">Form</TabsTrigger>
          <TabsTrigger value="json">JSON</TabsTrigger>
        </TabsList>
        <TabsContent value="form" className="pt-3">
          <SchemaForm
            name="settings"
            schema={formSchema(schema, read.data)}
            uiSchema={UI}
            value={settings ?? before}
            onChange={(value) => setText(JSON.stringify(value, null, 2))}
          />
        </TabsContent>
        <TabsContent value="json" className="pt-3">
          <CodeEditor label="Settings as JSON" language="json" value={text} onChange={setText} />
          {!settings && <p className="pt-1 text-destructive text-xs">This is not JSON yet.</p>}
        </TabsContent>
      </Tabs>
      <div className="-bottom-2 sticky flex items-center justify-end gap-3 border-t bg-background py-2">
        <span className="truncate text-muted-foreground text-xs">{Object.keys(changes).join(', ')}</span>
        <Button
          variant="primary"
          disabled={pending || !settings || Object.keys(changes).length === 0}
          onClick={() => run(undefined)}
        >
          Save
        </Button>
      </div>
    </div>
  )
}
