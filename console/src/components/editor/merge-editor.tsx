import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { useDark } from '../../layout/theme.ts'
import { themeOf } from './editor-theme.ts'

interface Props {
  theirs: string
  mine: string
  onChange: (merged: string) => void
}

/** Two texts side by side with their differences. The right one is edited; its changes are reported. */
export function MergeEditor({ theirs, mine, onChange }: Props) {
  const parent = useRef<HTMLDivElement>(null)
  const report = useRef(onChange)
  report.current = onChange
  const dark = useDark()
  useEffect(() => {
    const common = [basicSetup, EditorView.lineWrapping, themeOf(dark)]
    const label = (text: string) => EditorView.contentAttributes.of({ 'aria-label': text })
    const view = new MergeView({
      parent: parent.current!,
      revertControls: 'a-to-b',
      a: { doc: theirs, extensions: [common, label('Stored text'), EditorState.readOnly.of(true)] },
      b: {
        doc: mine,
        extensions: [
          common,
          label('Your text'),
          EditorView.updateListener.of(({ docChanged, state }) => docChanged && report.current(state.doc.toString())),
        ],
      },
    })
    return () => view.destroy()
  }, [theirs, mine, dark])
  return <div ref={parent} className="max-h-[55dvh] overflow-auto rounded-md border text-[13px]" />
}
