import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'react'
import { runToolForAgent, type Tool, type ToolExecutionResult } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { SchemaForm } from '../../../components/form/schema-form.tsx'
import { JsonView } from '../../../components/json-view.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog, DialogActions } from '../../../components/ui/dialog.tsx'

interface Props {
  agentId: string
  tool: Tool
  onClose: () => void
}

/** Runs a tool as the agent would, with arguments from a form that is made from the tool's schema. */
export function TryTool({ agentId, tool, onClose }: Props) {
  const [args, setArgs] = useState<Record<string, unknown>>({})
  const [result, setResult] = useState<ToolExecutionResult>()
  const { run, pending } = useAction(() => runToolForAgent(agentId, tool.name!, { args }), {
    changes: [['agent', agentId]],
    onSuccess: setResult,
  })
  const parameters = (tool.json_schema?.parameters ?? { type: 'object', properties: {} }) as RJSFSchema
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Try ${tool.name}`}
      description="The tool runs for real: what it changes, it changes."
    >
      <SchemaForm name="try" schema={parameters} value={args} onChange={(value) => setArgs(value as typeof args)} />
      <DialogActions>
        <Button variant="primary" disabled={pending} onClick={() => run(undefined)}>
          {pending ? 'Running…' : 'Run'}
        </Button>
      </DialogActions>
      {result && (
        <section aria-label="Result" className="grid gap-2">
          <StatusBadge status={result.status} />
          {result.func_return !== undefined && <JsonView label="Returned value" value={result.func_return} />}
          {[...(result.stdout ?? []), ...(result.stderr ?? [])].map((line, index) => (
            <pre key={index} className="wrap-anywhere max-h-60 overflow-auto whitespace-pre-wrap font-mono text-xs">
              {line}
            </pre>
          ))}
        </section>
      )}
    </Dialog>
  )
}
