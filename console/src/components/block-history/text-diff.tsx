import { useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { abridged, changedWords } from './changed-text.ts'

const ELEMENTS = { added: 'ins', removed: 'del', same: 'span' } as const
const STYLES = {
  added: 'bg-success/12 text-success underline decoration-2',
  removed: 'bg-destructive/10 text-destructive line-through',
  same: '',
}

/** A text with the words that a change added underlined and those that it removed struck out, also in colours. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const [whole, setWhole] = useState(false)
  const parts = useMemo(() => changedWords(before, after), [before, after])
  const short = useMemo(() => abridged(parts), [parts])
  const isLong = short.some(({ text }, index) => text !== parts[index]?.text)
  return (
    <div className="grid justify-items-start gap-1">
      <p
        className="wrap-anywhere max-h-64 w-full overflow-y-auto whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the text
        tabIndex={0}
      >
        {(whole ? parts : short).map(({ kind, text }, index) => {
          const Element = ELEMENTS[kind]
          return (
            <Element key={index} className={STYLES[kind]}>
              {text}
            </Element>
          )
        })}
      </p>
      {isLong && (
        <Button variant="link" size="small" className="px-0" onClick={() => setWhole(!whole)}>
          {whole ? 'Show what changed' : 'Show the whole text'}
        </Button>
      )}
    </div>
  )
}
