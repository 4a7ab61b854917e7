import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../models/scripted/model.ts'
import { describeInBrowser, expectAccessible, expectFitsPhone, useConsole } from './browser.ts'

describeInBrowser('the page of an agent', () => {
  const ui = useConsole()
  let model: ScriptedModel
  beforeAll(async () => {
    model = await startScriptedModel()
  })
  afterAll(() => model?.close())

  async function makeAgent(more: object = {}): Promise<string> {
    const llm_config = {
      model: 'scripted',
      model_endpoint_type: 'openai',
      model_endpoint: model.url,
      context_window: 32_000,
    }
    const memory_blocks = [{ label: 'human', value: 'Likes tea.' }]
    return (await ui.server.alice.post('/v1/agents/', { name: 'Ada', llm_config, memory_blocks, ...more })).body.id
  }
  const openAgent = async (id: string, search = '') => ui.open(`agents/${id}${search}`, ui.server.alice)

  test('shows an answer as it is written, its reasoning and tool calls folded, and the memory that it changed', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
    model.add(
      {
        reasoning: 'They moved.',
        calls: [{ name: 'memory_insert', arguments: { label: 'human', new_string: 'Oslo.' } }],
      },
      { text: 'Oslo it is: I noted that.', pause: { after: 3, until } },
    )
    const page = await openAgent(await makeAgent())
    await page.getByLabel('Message', { exact: true }).fill('I live in Oslo.')
    await page.keyboard.press('Enter')
    await page.getByLabel('Answer of the agent').getByText(/^Oslo/).waitFor()
    await page.getByText('Working…').waitFor()
    expect(await page.getByLabel('Answer of the agent').textContent()).not.toContain('noted that.')
    goOn()
    await page.getByText('Oslo it is: I noted that.').waitFor()
    await page.getByText('Working…').waitFor({ state: 'detached' })
    await page
      .getByRole('region', { name: 'Block human' })
      .getByText(/Oslo\./)
      .waitFor()
    expect(await page.getByLabel('Your message').count()).toBe(1)
    expect(await page.getByText('They moved.').isVisible()).toBe(false)
    await page.getByText('Reasoning').click()
    await page.getByText('They moved.').waitFor()
    await page.getByText('memory_insert').first().click()
    await page.locator('pre').getByText('"new_string": "Oslo."').waitFor()
    await expectAccessible(page)
  })

  test('asks for approvals in place, and the agent reads the reason of a denial', async () => {
    const id = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const call = { calls: [{ name: 'memory_insert', arguments: { label: 'human', new_string: 'Is rich.' } }] }
    model.add(call, { text: 'I leave it.' }, call, { text: 'Done.' })
    const page = await openAgent(id)
    await page.getByLabel('Message', { exact: true }).fill('Note it.')
    await page.keyboard.press('Enter')
    await page.getByLabel('Reason for a denial').fill('That is private.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('I leave it.').waitFor()
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain('That is private.')
    await page.getByText('Working…').waitFor({ state: 'detached' })
    await page.getByLabel('Message', { exact: true }).fill('Do it.')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Done.').waitFor()
    await page
      .getByRole('region', { name: 'Block human' })
      .getByText(/Is rich\./)
      .waitFor()
  })

  test('cancels a run, and follows one that goes on when the page is opened', async () => {
    const held = Promise.withResolvers<void>()
    model.add({ text: 'Once upon a time there was a stone.', pause: { after: 3, until: held.promise } })
    const id = await makeAgent()
    const page = await openAgent(id)
    await page.getByLabel('Message', { exact: true }).fill('A story!')
    await page.keyboard.press('Enter')
    await page.getByText(/^Once/).waitFor()
    await page.reload()
    await page.getByText(/^Once/).waitFor()
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByText('The run was cancelled.').waitFor()
    held.resolve()
    expect((await ui.server.alice.get(`/v1/runs/?agent_id=${id}`)).body).toMatchObject([{ status: 'cancelled' }])
  })

  test('repeats a message that failed, and sends a changed one in a fork', async () => {
    const id = await makeAgent({ model_settings: undefined })
    model.add(
      { error: { status: 400, message: 'Out of order.' } },
      { text: 'Hello to you.' },
      { text: 'Good day to you.' },
    )
    const page = await openAgent(id)
    await page.getByLabel('Message', { exact: true }).fill('Hello.')
    await page.keyboard.press('Enter')
    await page.getByText(/Out of order/).waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('Hello to you.').waitFor()
    await page.getByText('Working…').waitFor({ state: 'detached' })
    const message = page.getByLabel('Your message').last()
    await message.hover()
    await message.getByRole('button', { name: 'Edit and fork' }).click()
    await page.getByLabel('Changed message').fill('Good day.')
    await page.getByRole('button', { name: 'Send in a fork' }).click()
    await page.getByText('Good day to you.').waitFor()
    expect(page.url()).toContain('conversation=conv-')
    expect(await page.getByText('Hello to you.').count()).toBe(0)
    await page.getByLabel('Conversation', { exact: true }).first().selectOption({ label: 'Main conversation' })
    await page.getByText('Hello to you.').waitFor()
  })

  test('shows both sides when a block was changed meanwhile, and saves the merged text', async () => {
    const { alice } = ui.server
    const id = await makeAgent()
    const { body: block } = await alice.get(`/v1/agents/${id}/core-memory/blocks/human`)
    const page = await openAgent(id)
    await page.getByRole('button', { name: 'Edit human' }).click()
    await page.getByLabel('Value of the block').fill('Likes tea and rain.')
    await alice.patch(`/v1/blocks/${block.id}`, { value: 'Likes coffee.' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Stored text').getByText('Likes coffee.').waitFor()
    await page.getByLabel('Your text').fill('Likes coffee and rain.')
    await page.getByRole('button', { name: 'Use the right side' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await alice.get(`/v1/blocks/${block.id}`)).body.value).toBe('Likes coffee and rain.')
  })

  test('attaches a tool, tries it with a form from its schema, and changes settings', async () => {
    const { alice } = ui.server
    const id = await makeAgent()
    const page = await openAgent(id, '?tab=tools')
    await page.getByRole('button', { name: 'Attach a tool' }).click()
    await page.getByPlaceholder('Search').fill('memory_rethink')
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /memory_rethink/ })
      .click()
    await page.getByRole('button', { name: 'Try memory_rethink' }).click()
    await page.getByLabel(/^label/).fill('human')
    await page.getByLabel(/^new_memory/).fill('Rethought.')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('success').waitFor()
    await page.keyboard.press('Escape')
    expect((await alice.get(`/v1/agents/${id}/core-memory/blocks/human`)).body.value).toBe('Rethought.')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('description').fill('Thinks twice.')
    await page.getByLabel('max_files_open').fill('7')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the settings').waitFor()
    expect((await alice.get(`/v1/agents/${id}`)).body).toMatchObject({
      description: 'Thinks twice.',
      max_files_open: 7,
    })
  })

  test('changes settings in a form and in the JSON beside it, and loses none when the agent changes meanwhile', async () => {
    const { alice } = ui.server
    const id = await makeAgent()
    const page = await openAgent(id, '?tab=settings')
    const json = page.getByRole('textbox', { name: 'Settings as JSON' })
    const description = page.getByLabel('description')
    await description.fill('Thinks twice.')
    await json.getByText('"Thinks twice."').waitFor()
    await json.fill('{"description": "Half')
    await page.getByText('This is not a JSON object yet.').waitFor()
    expect(await description.inputValue()).toBe('Thinks twice.')
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    const { body: agent } = await alice.get(`/v1/agents/${id}`)
    await json.fill(JSON.stringify({ ...agent, tags: [], description: 'By JSON.' }))
    await expect.poll(() => description.inputValue()).toBe('By JSON.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the settings').waitFor()
    expect((await alice.get(`/v1/agents/${id}`)).body).toMatchObject({ name: agent.name, description: 'By JSON.' })
    await description.fill('Mine.')
    await alice.patch(`/v1/agents/${id}`, { description: 'Of another.' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The agent has changed since you opened its settings.').waitFor()
    expect(await description.inputValue()).toBe('Mine.')
    expect((await alice.get(`/v1/agents/${id}`)).body.description).toBe('Of another.')
    await expectAccessible(page)
  })

  test('is used on a phone, by its tabs', async () => {
    const page = await ui.open(`agents/${await makeAgent()}`, ui.server.alice, {
      viewport: { width: 360, height: 700 },
    })
    await page.getByLabel('Message', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Context' }).click()
    await page.getByText(/tokens used/).waitFor()
    expect(await page.getByLabel('Message', { exact: true }).isVisible()).toBe(false)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await expectFitsPhone(page)
    await expectAccessible(page)
  })

  test('of another organization is not found', async () => {
    const page = await ui.open(`agents/${await makeAgent()}`, ui.server.bob)
    await page.getByText(/No agent with id/).waitFor()
  })
})
