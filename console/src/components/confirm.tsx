import { AlertDialog } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Button } from './ui/button.tsx'
import { DialogActions } from './ui/dialog.tsx'

interface Question {
  title: string
  /** What will happen, and what goes with it. */
  body?: ReactNode
  /** The word on the button that does it. */
  action: string
}

type Confirm = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Confirm>(async () => false)

/** A function that asks the user, and resolves to whether the user agreed. */
export const useConfirm = () => useContext(ConfirmContext)

/** Shows the questions of `useConfirm`. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<(Question & { resolve: (agreed: boolean) => void }) | null>(null)
  const confirm = useCallback<Confirm>((question) => new Promise((resolve) => setAsked({ ...question, resolve })), [])
  const respond = (agreed: boolean) => {
    asked?.resolve(agreed)
    setAsked(null)
  }
  return (
    <ConfirmContext value={confirm}>
      {children}
      <AlertDialog.Root open={asked !== null} onOpenChange={(open) => !open && respond(false)}>
        <AlertDialog.Portal>
          <AlertDialog.Overlay className="fixed inset-0 z-50 bg-black/40" />
          <AlertDialog.Content className="fixed top-1/2 left-1/2 z-50 grid w-[min(28rem,92vw)] -translate-x-1/2 -translate-y-1/2 gap-3 rounded-lg border bg-card p-5 shadow-xl">
            <AlertDialog.Title className="font-semibold text-base">{asked?.title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="max-h-[60dvh] overflow-y-auto text-muted-foreground">{asked?.body}</div>
            </AlertDialog.Description>
            <DialogActions>
              <AlertDialog.Cancel asChild>
                <Button>Cancel</Button>
              </AlertDialog.Cancel>
              <AlertDialog.Action asChild>
                <Button variant="destructive" onClick={() => respond(true)}>
                  {asked?.action}
                </Button>
              </AlertDialog.Action>
            </DialogActions>
          </AlertDialog.Content>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </ConfirmContext>
  )
}
