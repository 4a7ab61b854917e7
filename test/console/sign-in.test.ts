import { expect, test } from 'vitest'
import { describeInBrowser, expectAccessible, useConsole } from './browser.ts'

describeInBrowser('the sign-in of the console', () => {
  const ui = useConsole()

  test('takes an API key, for this tab alone, and ends when the user signs out', async () => {
    const page = await ui.open('')
    await expectAccessible(page)
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/doesn’t know this key/).waitFor()
    await page.getByLabel('API key').fill(ui.server.alice.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    expect(await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain('cairn_')
    const other = await page.context().newPage()
    await other.goto('/console/')
    await other.getByLabel('API key').waitFor()
  })

  test('shows its first page after 350 kB, compressed, at most', async () => {
    const page = await ui.open('agents', ui.server.alice)
    await page.getByText('No agents here').waitFor()
    const loaded = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)
    const files = (loaded as string[]).filter((url) => /\/console\/assets\/.*\.(js|css)$/.test(url))
    const replies = await Promise.all(files.map((url) => fetch(url, { headers: { 'accept-encoding': 'gzip' } })))
    const headers = (name: string) => replies.map((reply) => reply.headers.get(name))
    expect(new Set(headers('content-encoding'))).toEqual(new Set(['gzip']))
    const bytes = headers('content-length').reduce((sum, length) => sum + Number(length), 0)
    expect(bytes).toBeLessThan(350_000)
    expect(bytes).toBeGreaterThan(50_000)
    await Promise.all(replies.map((reply) => reply.body?.cancel()))
  })

  test('follows the link that the server prints, once', async () => {
    const link = `#code=${ui.server.app.issueSignInCode!()}`
    const page = await ui.open(link)
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    expect(page.url()).not.toContain('code')
    const again = await ui.open(link)
    await again.getByText(/was used already/).waitFor()
  })

  test('comes first at the root of the server, and a key that is revoked ends the session', async () => {
    const made = await ui.server.alice.post('/v1/api-keys', { name: 'short', scopes: ['read'] })
    const page = await ui.open('agents', ui.server.client(made.body.key))
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    await ui.server.alice.delete(`/v1/api-keys/${made.body.id}`)
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByLabel('API key').waitFor()
    const root = await (await ui.open('')).context().newPage()
    await root.goto('/')
    expect(new URL(root.url()).pathname).toBe('/console/')
  })
})
