import { useSyncExternalStore } from 'react'

const WIDE = '(min-width: 1024px)'

function subscribe(listener: () => void) {
  const query = matchMedia(WIDE)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the window has room for two columns. */
export const useWide = () => useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches)
