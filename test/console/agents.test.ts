import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { Client } from '../server.ts'
import { describeInBrowser, expectAccessible, useConsole } from './browser.ts'

const SCRIPT = '<img src=x onerror="document.title = 1 / 0">'

const create = async (client: Client, body: object): Promise<string> => (await client.post('/v1/agents/', body)).body.id

describeInBrowser('the list of agents', () => {
  const ui = useConsole()

  test('is searched and filtered by tags; the address remembers it, and another organization sees none of them', async () => {
    const { alice, bob } = ui.server
    await Promise.all([
      create(alice, { name: 'Ada', tags: ['poets, dead', 'all'] }),
      create(alice, { name: 'Adele', tags: ['singers', 'all'] }),
      create(alice, { name: 'Bo', tags: ['singers'] }),
    ])
    const page = await ui.open('agents', alice)
    const shown = page.getByRole('table').getByRole('link')
    await page.getByRole('link', { name: 'Bo', exact: true }).waitFor()
    await page.getByLabel('Search agents by name').fill('ad')
    await page.getByRole('link', { name: 'Bo', exact: true }).waitFor({ state: 'detached' })
    expect((await shown.allTextContents()).sort()).toEqual(['Ada', 'Adele'])
    await page.getByRole('button', { name: 'Tags' }).click()
    await page.getByLabel('poets, dead').click()
    await page.getByRole('link', { name: 'Adele' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('link', { name: 'Ada' }).waitFor()
    expect(await shown.allTextContents()).toEqual(['Ada'])
    await expectAccessible(page)
    const other = await ui.open('agents', bob)
    await other.getByText('No agents here').waitFor()
  })

  test('goes on while it is scrolled, with one request for each page, and renders only what is seen', async () => {
    const { bob, database } = ui.server
    const id = await create(bob, { name: 'Agent', include_base_tools: false })
    const ids = Array.from({ length: 249 }, () => newId('agent'))
    await sql`insert into agents select (jsonb_populate_record(agents, jsonb_build_object('id', new_id))).*
      from agents, unnest(${ids}::text[]) as new_id where agents.id = ${id}`.execute(database.kysely)
    const page = await ui.open('agents')
    const pages: string[] = []
    page.on('request', (request) => request.url().includes('limit=100') && pages.push(request.url()))
    await page.getByLabel('API key').fill(bob.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const table = page.getByRole('region', { name: 'Agents' })
    await table.getByRole('link').first().waitFor()
    await expect
      .poll(
        async () => {
          await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
          expect(await table.getByRole('row').count()).toBeLessThan(60)
          return page.getByRole('table').getAttribute('aria-rowcount')
        },
        { timeout: 30_000 },
      )
      .toBe('251')
    expect([pages.length, new Set(pages).size]).toEqual([3, 3])
  })

  test('makes an agent, saves it as a file, takes the file back, and deletes with what goes along shown before', async () => {
    const { alice } = ui.server
    const page = await ui.open('agents', alice)
    await page.getByRole('button', { name: 'Create an agent' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Cora')
    await page.getByLabel('Who it speaks with').fill('Likes tea.')
    await page.getByLabel('Tags', { exact: true }).fill('new, new')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'Cora' }).waitFor()
    await page.getByText('Likes tea.').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Actions for Cora' }).click()
    await page.getByRole('menuitem', { name: /Export/ }).click()
    const file = await (await download).path()
    expect(JSON.parse(readFileSync(file, 'utf8')).agents).toMatchObject([{ name: 'Cora', tags: ['new'] }])

    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('button', { name: 'Create an agent' }).click()
    await page.getByRole('tab', { name: 'From a file' }).click()
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('Imported an agent').waitFor()
    await page.getByRole('heading', { name: 'Cora' }).waitFor()
    expect((await alice.get('/v1/agents/?name=Cora')).body).toHaveLength(2)

    await page.getByRole('button', { name: 'Actions for Cora' }).click()
    await page.getByRole('menuitem', { name: /Delete/ }).click()
    await page.getByText('1 message, and the agent’s runs').waitFor()
    await page.getByRole('button', { name: 'Delete the agent' }).click()
    await page.getByText('Deleted Cora').waitFor()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect((await alice.get('/v1/agents/?name=Cora')).body).toHaveLength(1)
  })

  test('makes an agent from a template, with values for its variables', async () => {
    const { alice } = ui.server
    const memory_blocks = [{ label: 'human', value: 'Name: {{guest}}.' }]
    const agent_id = await create(alice, { name: 'Pattern', memory_blocks })
    await alice.post('/v1/templates/', { type: 'agent', agent_id, name: 'greeter' })
    const page = await ui.open('agents', alice)
    await page.getByRole('button', { name: 'Create an agent' }).click()
    await page.getByRole('tab', { name: 'From a template' }).click()
    await page.getByLabel('guest').fill('Ann')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Name: Ann.').waitFor()
  })

  test('shows the texts of users as texts', async () => {
    const { alice } = ui.server
    const memory_blocks = [{ label: 'human', value: SCRIPT, description: SCRIPT }]
    const id = await create(alice, { name: SCRIPT, tags: [SCRIPT], description: SCRIPT, memory_blocks })
    await alice.post(`/v1/agents/${id}/messages`, { input: `${SCRIPT} [link](javascript:alert(1))` })
    await alice.post(`/v1/conversations/?agent_id=${id}`, { summary: SCRIPT })
    const page = await ui.open('agents', alice)
    await page.getByRole('link', { name: SCRIPT }).click()
    await page.getByLabel('Your message').getByText(SCRIPT).waitFor()
    for (const tab of ['Memory', 'Context', 'Tools', 'Data', 'Settings']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('tabpanel').first().waitFor()
      expect(await page.locator('img[src=x], a[href^=javascript]').count()).toBe(0)
    }
    await page.getByLabel('description').waitFor()
    expect(await page.locator('img[src=x], a[href^=javascript]').count()).toBe(0)
  })
})
