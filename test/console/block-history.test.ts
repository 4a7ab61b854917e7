import { expect, test } from 'vitest'
import { callTool } from '../tool-calls.ts'
import { describeInBrowser, expectAccessible, useConsole } from './browser.ts'

/** A text that runs a script wherever it is taken for HTML. */
const SCRIPT = '<img src=x onerror="window.ran = true">'

describeInBrowser('the history of a memory block', () => {
  const ui = useConsole()

  async function makeAgent() {
    const { alice } = ui.server
    const memory_blocks = [{ label: 'human', value: 'Likes tea.' }]
    const { body } = await alice.post('/v1/agents/', { name: 'Ada', memory_blocks, tools: ['core_memory_append'] })
    return { id: body.id as string, block: `/v1/blocks/${body.memory.blocks[0].id}` }
  }

  test('shows what the agent and a user changed, and takes a change back', async () => {
    const { alice } = ui.server
    const { id, block } = await makeAgent()
    await callTool(alice, id, 'core_memory_append', { label: 'human', content: 'Lives in Oslo.' })
    await alice.patch(block, { value: `Likes coffee.\nLives in Oslo. ${SCRIPT}`, description: 'A person' })
    const page = await ui.open(`agents/${id}`, alice, { viewport: { width: 360, height: 700 } })
    await page.getByRole('tab', { name: 'Memory' }).click()
    await page.getByRole('button', { name: 'History of human' }).press('Enter')
    const changes = page.getByRole('list', { name: 'Changes of human' })
    const version = (number: number) => changes.getByRole('listitem', { name: `Version ${number}`, exact: true })
    await version(3).getByText('by the user').waitFor()
    expect(await version(3).getByRole('deletion').allTextContents()).toEqual(['tea'])
    expect(await version(3).getByRole('insertion').allTextContents()).toEqual(['coffee', ` ${SCRIPT}`])
    await version(3).getByText('description').waitFor()
    await version(2).getByText('by the agent Ada in its run').waitFor()
    expect(await version(2).getByRole('insertion').allTextContents()).toEqual(['\nLives in Oslo.'])
    await version(2).getByText('Why').click()
    await version(2)
      .getByText(/^core_memory_append .*Lives in Oslo/)
      .waitFor()
    await version(2)
      .getByText(/^!call core_memory_append/)
      .waitFor()
    expect(await version(1).getByRole('insertion').allTextContents()).toEqual(['Likes tea.'])
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await page.evaluate('window.ran')).toBeUndefined()

    await version(3).getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click()
    await version(4).getByText('by the user').waitFor()
    expect((await alice.get(block)).body.value).toBe('Likes tea.\nLives in Oslo.')
    await version(2).getByRole('link', { name: 'its run' }).click()
    await page.getByText('Tool: core_memory_append').waitFor()
  })

  test('restores a former version, unless the block has changed meanwhile', async () => {
    const { alice } = ui.server
    const { block } = await makeAgent()
    await alice.patch(block, { value: 'Likes coffee.' })
    const page = await ui.open('blocks?value=coffee', alice)
    await page.getByRole('button', { name: 'History of human' }).click()
    const restore = async () => {
      const first = page.getByRole('listitem', { name: 'Version 1', exact: true })
      await first.getByRole('button', { name: 'Restore this version' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
    }
    await page.getByRole('listitem', { name: 'Version 2' }).waitFor()
    await alice.patch(block, { value: 'Likes water.' })
    await restore()
    await page.getByText('The block has changed meanwhile.').waitFor()
    await page.getByRole('listitem', { name: 'Version 3' }).getByText('water').waitFor()
    expect((await alice.get(block)).body.value).toBe('Likes water.')
    await restore()
    await page.getByText('Restored', { exact: true }).waitFor()
    expect((await alice.get(block)).body.value).toBe('Likes tea.')
  })

  test('loads older changes when they are asked for', async () => {
    const { alice } = ui.server
    const { block } = await makeAgent()
    for (let turn = 2; turn <= 22; turn++) await alice.patch(block, { value: `Turn ${turn}` })
    const page = await ui.open('blocks?value=Turn', alice)
    await page.getByRole('button', { name: 'History of human' }).click()
    await page.getByRole('listitem', { name: 'Version 3', exact: true }).getByRole('deletion').getByText('2').waitFor()
    expect(await page.getByRole('listitem').count()).toBe(20)
    await page.getByRole('button', { name: 'Show older changes' }).click()
    await page.getByRole('listitem', { name: 'Version 1', exact: true }).getByText('Likes tea.').waitFor()
    expect(await page.getByRole('button', { name: 'Show older changes' }).count()).toBe(0)
  })
})
