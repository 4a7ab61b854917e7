export interface CodeEditorProps {
  /** Names the editor for screen readers. */
  label: string
  value: string
  /** Without it the text is read only. */
  onChange?: (value: string) => void
  language: 'json' | 'python' | 'typescript' | 'text'
  className?: string
}
