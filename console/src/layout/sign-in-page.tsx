import { type FormEvent, useEffect, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { signInWithCode, signInWithKey, takeCode } from '../api/sign-in.ts'
import { Button } from '../components/ui/button.tsx'
import { Field } from '../components/ui/field.tsx'
import { Input } from '../components/ui/input.tsx'
import { Brand } from './brand.tsx'

/** Asks for an API key, and takes the one-time code of a link that signs in. */
export function SignInPage() {
  const [key, setKey] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function attempt(signingIn: Promise<void>) {
    setBusy(true)
    setError(undefined)
    await signingIn.catch((cause) => setError(problemOf(cause).message))
    setBusy(false)
  }
  // The code is taken out of the address, so that a second run of the effect finds none.
  useEffect(() => {
    document.title = 'Sign in · Cairn'
    const code = takeCode()
    if (code) void attempt(signInWithCode(code))
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt(signInWithKey(key.trim()))
  }
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form onSubmit={submit} className="grid w-full max-w-sm gap-4 rounded-lg border bg-card p-6 shadow-sm">
        <Brand />
        <h1 className="font-semibold text-lg">Sign in</h1>
        <Field label="API key" error={error} description="The key stays in this tab and is gone when you close it.">
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </main>
  )
}
