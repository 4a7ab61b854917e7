import { lazy, Suspense } from 'react'
import { cn } from '../class-names.ts'
import type { CodeEditorProps } from './editor-props.ts'

const Editor = lazy(() => import('./code-mirror.tsx').then(({ CodeMirror }) => ({ default: CodeMirror })))

/** A code editor; its library is loaded when the first one is shown. */
export function CodeEditor({ className, ...props }: CodeEditorProps) {
  return (
    <div
      className={cn(
        'min-h-24 overflow-auto rounded-md border border-input bg-card text-[13px] focus-within:outline-2',
        className,
      )}
    >
      <Suspense fallback={<pre className="p-2 font-mono">{props.value}</pre>}>
        <Editor {...props} />
      </Suspense>
    </div>
  )
}
