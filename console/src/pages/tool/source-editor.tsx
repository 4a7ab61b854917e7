import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { createTool, generateJsonSchema, modifyTool, type Tool } from '../../api/generated.ts'
import { problemOf } from '../../api/problem.ts'
import { useAction } from '../../api/use-action.ts'
import { CodeEditor } from '../../components/editor/code-editor.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { NativeSelect } from '../../components/ui/input.tsx'

type Language = 'python' | 'typescript'

interface Props {
  /** The tool to change; a new one is made without it. */
  tool?: Tool
  source: string
  language: string | undefined
}

/** The schema that the server reads from a source, or what is wrong with the source. */
function DerivedSchema({ code, language }: { code: string; language: Language }) {
  const schema = useQuery({
    queryKey: ['tool-schema', language, code],
    queryFn: () => generateJsonSchema({ code, source_type: language }),
    placeholderData: (previous) => previous,
    retry: false,
  })
  if (schema.error)
    return (
      <p role="alert" className="whitespace-pre-wrap text-destructive">
        {problemOf(schema.error).message}
      </p>
    )
  return <JsonView label="Schema" value={schema.data ?? {}} />
}

/** Edits the source of a tool beside the schema that the server derives from it. */
export function SourceEditor({ tool, source, language: first }: Props) {
  const [code, setCode] = useState(source)
  const [language, setLanguage] = useState<Language>(first === 'typescript' ? 'typescript' : 'python')
  const derived = useDeferredValue(code)
  const navigate = useNavigate()
  const body = { source_code: code, source_type: language }
  const save = useAction(() => (tool ? modifyTool(tool.id, body) : createTool(body)), {
    changes: [['tools']],
    done: 'Saved',
    onSuccess: ({ id }) => void navigate({ to: '/tools/$toolId', params: { toolId: id } }),
  })
  const actions = (
    <>
      <NativeSelect
        aria-label="Language"
        className="h-7 w-auto"
        value={language}
        onChange={({ target }) => setLanguage(target.value as Language)}
      >
        <option value="python">Python</option>
        <option value="typescript">TypeScript</option>
      </NativeSelect>
      <Button size="small" variant="primary" disabled={save.pending} onClick={() => save.run(undefined)}>
        Save
      </Button>
    </>
  )
  return (
    <div className="grid gap-3 lg:grid-cols-[3fr_2fr]">
      <Card title="Source" actions={actions}>
        <CodeEditor label="Source" language={language} value={code} onChange={setCode} className="min-h-72" />
      </Card>
      <Card title="Schema for models">
        <DerivedSchema code={derived} language={language} />
      </Card>
    </div>
  )
}
