import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const COLOURS = {
  light: { keyword: '#7c3aed', text: '#0f6b4f', number: '#9a3412', name: '#1d4ed8', comment: '#6b7280' },
  dark: { keyword: '#c4b5fd', text: '#6ee7b7', number: '#fdba74', name: '#93c5fd', comment: '#9ca3af' },
}

/** The editor in the colours of the page. */
export function themeOf(dark: boolean): Extension {
  const colours = dark ? COLOURS.dark : COLOURS.light
  return [
    EditorView.theme(
      {
        '&': { backgroundColor: 'transparent', color: 'var(--foreground)' },
        '&.cm-focused': { outline: 'none' },
        '.cm-content': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', caretColor: 'var(--foreground)' },
        '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted-foreground)', border: 'none' },
        '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
        '.cm-cursor': { borderLeftColor: 'var(--foreground)' },
      },
      { dark },
    ),
    syntaxHighlighting(
      HighlightStyle.define([
        { tag: [tags.keyword, tags.bool, tags.null], color: colours.keyword },
        { tag: [tags.string], color: colours.text },
        { tag: [tags.number], color: colours.number },
        { tag: [tags.propertyName, tags.definition(tags.variableName), tags.typeName], color: colours.name },
        { tag: [tags.comment], color: colours.comment, fontStyle: 'italic' },
      ]),
    ),
  ]
}
