import { useState } from 'react'
import { runTool, type Tool } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { SchemaForm } from '../../components/form/schema-form.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'

type Result = Awaited<ReturnType<typeof runTool>>

/** Runs a tool with arguments from a form of its schema. */
export function TryTool({ tool }: { tool: Tool }) {
  const [args, setArgs] = useState<unknown>({})
  const [result, setResult] = useState<Result>()
  const run = useAction(() => runTool(tool.id, { args: args as Record<string, unknown> }), { onSuccess: setResult })
  const schema = tool.json_schema?.parameters ?? { type: 'object', properties: {} }
  return (
    <Card title="Try it">
      <div className="grid gap-3">
        <SchemaForm name="args" schema={schema} value={args} onChange={setArgs} />
        <Button className="justify-self-start" disabled={run.pending} onClick={() => run.run(undefined)}>
          Run
        </Button>
        {result && <JsonView label="Result" value={result} />}
      </div>
    </Card>
  )
}
