import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { python } from '@codemirror/lang-python'
import type { Extension } from '@codemirror/state'
import type { CodeEditorProps } from './editor-props.ts'

/** The highlighting of each language. */
export const LANGUAGES: Record<CodeEditorProps['language'], () => Extension> = {
  json,
  python,
  typescript: () => javascript({ typescript: true }),
  text: () => [],
}
