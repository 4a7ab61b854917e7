import { indentUnit } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { useDark } from '../../layout/theme.ts'
import type { CodeEditorProps } from './editor-props.ts'
import { themeOf } from './editor-theme.ts'
import { LANGUAGES } from './languages.ts'

/** CodeMirror as a controlled component. Tab moves the focus on, as everywhere else in the page. */
export function CodeMirror({ label, value, onChange, language }: CodeEditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const report = useRef(onChange)
  report.current = onChange
  const theme = useRef(new Compartment())
  const dark = useDark()
  const editable = onChange !== undefined

  useEffect(() => {
    view.current = new EditorView({
      parent: parent.current!,
      doc: value,
      extensions: [
        basicSetup,
        LANGUAGES[language](),
        indentUnit.of(language === 'python' ? '    ' : '  '),
        theme.current.of(themeOf(dark)),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, ...(editable ? {} : { tabindex: '0' }) }),
        EditorState.readOnly.of(!editable),
        EditorView.editable.of(editable),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && report.current?.(state.doc.toString())),
      ],
    })
    return () => view.current?.destroy()
  }, [language, label, editable])

  useEffect(() => {
    view.current?.dispatch({ effects: theme.current.reconfigure(themeOf(dark)) })
  }, [dark])

  useEffect(() => {
    const { state } = view.current!
    if (state.doc.toString() === value) return
    view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } })
  }, [value])

  return <div ref={parent} />
}
