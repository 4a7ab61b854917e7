import { expect, test } from 'vitest'
import { describeInBrowser, expectAccessible, expectFitsPhone, useConsole } from './browser.ts'

describeInBrowser('the runs', () => {
  const ui = useConsole()

  test('are listed, and one is followed step by step to the request to its model', async () => {
    const { alice, bob } = ui.server
    const memory_blocks = [{ label: 'human', value: '' }]
    const { body: agent } = await alice.post('/v1/agents/', { name: 'Ada', memory_blocks })
    const input = '!call memory_insert {"label": "human", "new_string": "Likes tea."}'
    await alice.post(`/v1/agents/${agent.id}/messages`, { input })
    const page = await ui.open('runs', alice)
    await page.getByRole('cell', { name: 'Ada' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByText('Tool: memory_insert').waitFor()
    await page.getByRole('button', { name: 'Step 1' }).click()
    await page.getByLabel('Your message').getByText(input).waitFor()
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByLabel('The request').waitFor()
    await expectAccessible(page)
    await expectFitsPhone(page)
    const other = await ui.open(new URL(page.url()).pathname.replace('/console/', ''), bob)
    await other.getByText(/No run with id/).waitFor()
  })

  test('are filtered by status', async () => {
    const page = await ui.open('runs?status=failed', ui.server.alice)
    await page.getByText('No runs here').waitFor()
    await page.getByLabel('Status').selectOption('Completed')
    await page.getByRole('cell', { name: 'Ada' }).waitFor()
    expect(page.url()).toContain('status=completed')
  })

  test('are filtered by the time when they began, and the address remembers it', async () => {
    const page = await ui.open('runs', ui.server.alice)
    await page.getByRole('cell', { name: 'Ada' }).waitFor()
    await page.getByLabel('Until').fill('2020-01-01T08:00')
    await page.getByText('No runs here').waitFor()
    await page.getByLabel('Until').fill('')
    await page.getByLabel('From').fill('2020-01-01T08:00')
    await page.getByRole('cell', { name: 'Ada' }).waitFor()
    await page.waitForURL(/from=2020-01-01/)
    await page.getByLabel('From').blur()
    await page.getByLabel('From').focus()
    await page.keyboard.type('11232199')
    await page.getByText('No runs here').waitFor()
    expect(await page.getByLabel('From').inputValue()).toBe('2199-11-23T08:00')
  })
})
