import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const NAME = 'cairn.theme'
const DARK = '(prefers-color-scheme: dark)'

/** The theme that the user chose; the system's without a choice. */
export const storedTheme = () => (localStorage.getItem(NAME) ?? 'system') as Theme

/** Colours the page, now and when the system changes. */
export function applyTheme(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && matchMedia(DARK).matches)
  document.documentElement.classList.toggle('dark', dark)
}

/** Stores the choice in this browser and applies it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(NAME, theme)
  applyTheme(theme)
}

function subscribe(listener: () => void) {
  const query = matchMedia(DARK)
  const follow = () => applyTheme(storedTheme())
  query.addEventListener('change', follow)
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => {
    query.removeEventListener('change', follow)
    observer.disconnect()
  }
}

/** Whether the page is dark at the moment. */
export const useDark = () => useSyncExternalStore(subscribe, () => document.documentElement.classList.contains('dark'))
