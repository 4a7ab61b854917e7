import { SendHorizontalIcon, SquareIcon } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { Textarea } from '../../../components/ui/input.tsx'

interface Props {
  running: boolean
  onSend: (text: string) => void
  onCancel: () => void
}

/** Where the next message is written: Enter sends it, Shift with Enter begins a new line. */
export function Composer({ running, onSend, onCancel }: Props) {
  const [text, setText] = useState('')
  const send = () => {
    if (text.trim() === '' || running) return
    onSend(text)
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder="Write to the agent"
        className="max-h-60 min-h-10 flex-1 resize-none py-2.5"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      {running ? (
        <Button aria-label="Cancel the run" className="h-10" onClick={onCancel}>
          <SquareIcon /> Cancel
        </Button>
      ) : (
        <Button aria-label="Send" variant="primary" className="h-10" type="submit" disabled={text.trim() === ''}>
          <SendHorizontalIcon />
        </Button>
      )}
    </form>
  )
}
