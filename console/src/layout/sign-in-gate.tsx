import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useKey } from '../api/key.ts'
import { SignInPage } from './sign-in-page.tsx'

/** Shows the console to a signed-in user, and the sign-in page to others. What one user has read is gone for the next. */
export function SignInGate({ children }: { children: ReactNode }) {
  const key = useKey()
  const client = useQueryClient()
  useEffect(() => {
    if (key === null) client.clear()
  }, [key, client])
  return key === null ? <SignInPage /> : children
}
