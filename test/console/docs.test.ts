import { expect, test } from 'vitest'
import { describeInBrowser, useConsole } from './browser.ts'

describeInBrowser('the page of the API', () => {
  const ui = useConsole()

  test('shows every operation without the internet, and sends a request with the key of the session', async () => {
    const made = await ui.server.alice.post('/v1/archives', { name: 'Tried from the docs' })
    const page = await ui.open('', ui.server.alice)
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(ui.url) && request.url().startsWith('http')) elsewhere.push(request.url())
    })
    await page.goto('/docs/#tag/archives/GET/v1/archives/')
    expect(await page.title()).toBe('Cairn API')
    await page.locator('button', { hasText: '(get /v1/archives/)' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Send/ }).first().click()
    await dialog.getByText(made.body.id).first().waitFor()
    expect(elsewhere).toEqual([])
  })
})
