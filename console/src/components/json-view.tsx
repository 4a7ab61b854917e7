import { CodeEditor } from './editor/code-editor.tsx'

/** A value as indented JSON that can be folded, searched and copied, but not changed. */
export function JsonView({ label, value, className }: { label: string; value: unknown; className?: string }) {
  return <CodeEditor label={label} language="json" value={JSON.stringify(value, null, 2) ?? ''} className={className} />
}
