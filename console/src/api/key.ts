import { useSyncExternalStore } from 'react'

const NAME = 'cairn.key'
const CHANGED = 'cairn:key'

/** The API key of this tab's session; null before the sign-in. */
export const currentKey = () => sessionStorage.getItem(NAME)

function announce() {
  window.dispatchEvent(new Event(CHANGED))
}

/** Stores the API key until the tab is closed. */
export function signIn(key: string): void {
  sessionStorage.setItem(NAME, key)
  announce()
}

/** Forgets the API key; every component that reads it shows the sign-in page. */
export function signOut(): void {
  sessionStorage.removeItem(NAME)
  announce()
}

function subscribe(listener: () => void) {
  window.addEventListener(CHANGED, listener)
  return () => window.removeEventListener(CHANGED, listener)
}

/** The API key of this tab's session, followed as it changes. */
export const useKey = () => useSyncExternalStore(subscribe, currentKey)
