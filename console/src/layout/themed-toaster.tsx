import { Toaster } from 'sonner'
import { useDark } from './theme.ts'

/** Where toasts appear, in the colours of the page. */
export function ThemedToaster() {
  return <Toaster theme={useDark() ? 'dark' : 'light'} position="bottom-right" richColors closeButton />
}
