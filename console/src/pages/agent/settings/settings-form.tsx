import type { RJSFSchema } from '@rjsf/utils'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { type Agent, modifyAgent } from '../../../api/generated.ts'
import { problemOf, reportError } from '../../../api/problem.ts'
import { useAction } from '../../../api/use-action.ts'
import type { Versioned } from '../../../api/with-etag.ts'
import { CodeEditor } from '../../../components/editor/code-editor.tsx'
import { SchemaForm } from '../../../components/form/schema-form.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../../../components/ui/tabs.tsx'
import { useWide } from '../../../components/use-wide.ts'
import { changesOf, formSchema, type Settings, settingsOf, UI } from './settings-schema.ts'

interface Props {
  agentId: string
  read: Versioned<Agent>
  /** The schema of the body that changes an agent. */
  schema: RJSFSchema
}

/** The settings that a user is changing, and the version of the agent that they began with. */
interface Edit {
  base: Versioned<Agent>
  text: string
  /** Those of the text, or of the last text that was JSON. */
  settings: Settings
}

const textOf = (settings: Settings) => JSON.stringify(settings, null, 2)

/** The settings of a text; nothing where it is not the JSON of an object. */
function parsed(text: string): Settings | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function reportSettingsError(error: unknown) {
  if (problemOf(error).status !== 412) return reportError(error)
  toast.error('The agent has changed since you opened its settings. Reload the page, then change them again.')
}

/** The form and the JSON: beside each other where there is room. */
function BothViews({ form, json }: { form: ReactNode; json: ReactNode }) {
  if (useWide())
    return (
      <div className="grid grid-cols-2 items-start gap-5">
        {form}
        <div className="sticky top-0">{json}</div>
      </div>
    )
  return (
    <Tabs defaultValue="form">
      <TabsList>
        <TabsTrigger value="form">Form</TabsTrigger>
        <TabsTrigger value="json">JSON</TabsTrigger>
      </TabsList>
      <TabsContent value="form" className="pt-3">
        {form}
      </TabsContent>
      <TabsContent value="json" className="pt-3">
        {json}
      </TabsContent>
    </Tabs>
  )
}

/**
 * One set of settings, edited as a form or as JSON; a save sends only what was changed. What the user is changing stays, also
 * when the agent changes meanwhile: then the save is refused.
 */
export function SettingsForm({ agentId, read, schema }: Props) {
  const [edit, setEdit] = useState<Edit>()
  const base = edit?.base ?? read
  const before = settingsOf(base.data)
  const { text, settings } = edit ?? { text: textOf(before), settings: before }
  const change = (text: string) => setEdit({ base, text, settings: parsed(text) ?? settings })
  const isJson = parsed(text) !== undefined
  const changes = changesOf(before, settings)
  const { run, pending } = useAction(() => modifyAgent(agentId, changes, { ifMatch: base.etag }), {
    changes: [['agent', agentId], ['agents'], ['tags']],
    done: 'Saved the settings',
    onSuccess: () => setEdit(undefined),
    onError: reportSettingsError,
  })
  return (
    <div className="grid gap-3">
      <BothViews
        form={
          <SchemaForm
            name="settings"
            schema={formSchema(schema, base.data)}
            uiSchema={UI}
            value={settings}
            onChange={(value) => change(textOf(value as Settings))}
          />
        }
        json={
          <>
            <CodeEditor
              label="Settings as JSON"
              language="json"
              value={text}
              onChange={change}
              className="lg:max-h-[calc(100vh-13rem)]"
            />
            {!isJson && <p className="pt-1 text-destructive text-xs">This is not a JSON object yet.</p>}
          </>
        }
      />
      {/* Save stands at the left: reports appear at the bottom right. */}
      <div className="-bottom-2 sticky flex items-center gap-3 border-t bg-background py-2">
        <Button
          variant="primary"
          disabled={pending || !isJson || Object.keys(changes).length === 0}
          onClick={() => run(undefined)}
        >
          Save
        </Button>
        <span className="truncate text-muted-foreground text-xs">{Object.keys(changes).join(', ')}</span>
      </div>
    </div>
  )
}
