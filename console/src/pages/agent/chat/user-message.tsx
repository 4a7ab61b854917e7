import { PencilIcon, RotateCcwIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { Textarea } from '../../../components/ui/input.tsx'
import { Tooltip } from '../../../components/ui/tooltip.tsx'

interface Props {
  text: string
  onFork?: ((text: string) => void) | undefined
}

/** A message of the user. It is sent again, as it is or changed, in a fork: the conversation stays as it was. */
export function UserMessage({ text, onFork }: Props) {
  const [draft, setDraft] = useState<string>()
  if (draft !== undefined) {
    return (
      <form
        className="ml-auto grid w-full max-w-[85%] gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          setDraft(undefined)
          onFork?.(draft)
        }}
      >
        <Textarea
          aria-label="Changed message"
          autoFocus
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button size="small" onClick={() => setDraft(undefined)}>
            Cancel
          </Button>
          <Button size="small" variant="primary" type="submit" disabled={draft.trim() === ''}>
            Send in a fork
          </Button>
        </div>
      </form>
    )
  }
  return (
    <article aria-label="Your message" className="group ml-auto flex max-w-[85%] items-end gap-1">
      {onFork && (
        <div className="flex opacity-0 transition-opacity focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
          <Tooltip text="Change the message and send it in a fork">
            <Button variant="ghost" size="iconSmall" aria-label="Edit and fork" onClick={() => setDraft(text)}>
              <PencilIcon />
            </Button>
          </Tooltip>
          <Tooltip text="Send the same message again in a fork">
            <Button variant="ghost" size="iconSmall" aria-label="Retry in a fork" onClick={() => onFork(text)}>
              <RotateCcwIcon />
            </Button>
          </Tooltip>
        </div>
      )}
      <p className="wrap-anywhere whitespace-pre-wrap rounded-lg bg-accent px-3 py-2 text-accent-foreground">{text}</p>
    </article>
  )
}
