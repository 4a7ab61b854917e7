import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { KEY, startOpenAi } from '../stand-ins/openai.ts'
import { describeInBrowser, expectAccessible, expectFitsPhone, useConsole } from './browser.ts'

/** A text that runs a script wherever it is taken for HTML. */
const SCRIPT = '<img src=x onerror="window.ran = true">'

/** The pages that list resources. */
const PAGES = ['archives', 'folders', 'blocks', 'identities', 'groups', 'tools', 'templates', 'models', 'feed', 'admin']
/** Those that show a text of the user for each resource. */
const WITH_TEXTS = ['archives', 'folders', 'blocks', 'identities', 'groups', 'feed', 'admin']

const SOURCE =
  'def add(a: int, b: int) -> int:\n    """Adds numbers.\n\n    Args:\n        a: One.\n        b: Another.\n    """\n    return a + b\n'

describeInBrowser('the pages of the console', () => {
  const ui = useConsole()
  let archive: { id: string }
  let folder: { id: string }

  beforeAll(async () => {
    const { alice } = ui.server
    archive = (await alice.post('/v1/archives', { name: SCRIPT, description: SCRIPT })).body
    await alice.post(`/v1/archives/${archive.id}/passages/batch`, {
      passages: [
        { text: `${SCRIPT} The garden needs water on Mondays.`, tags: [SCRIPT] },
        { text: 'The invoice of the bakery is due.' },
      ],
    })
    folder = (await alice.post('/v1/folders', { name: SCRIPT, description: SCRIPT })).body
    await alice.post('/v1/blocks', { label: SCRIPT, value: SCRIPT, description: SCRIPT })
    await alice.post('/v1/identities', { name: SCRIPT, identifier_key: SCRIPT, identity_type: 'user' })
    const agents = await Promise.all(
      ['One', SCRIPT].map(async (name) => (await alice.post('/v1/agents', { name })).body.id),
    )
    await alice.post('/v1/groups', { agent_ids: agents, description: SCRIPT })
    await alice.post('/v1/api-keys', { name: SCRIPT, scopes: ['read'] })
  })

  test.each(PAGES)('show texts of users as text, and are accessible: %s', async (path) => {
    const page = await ui.open(path, ui.server.alice)
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (WITH_TEXTS.includes(path)) await page.getByText(SCRIPT).first().waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    await expectFitsPhone(page)
  })

  test('show texts of passages and folders as text, and are accessible', async () => {
    const page = await ui.open('archives', ui.server.alice)
    for (const path of [`archives/${archive.id}`, `archives/${archive.id}?q=garden`, `folders/${folder.id}`]) {
      await page.goto(`/console/${path}`)
      await page.getByText(SCRIPT).first().waitFor()
      await expectAccessible(page)
      await expectFitsPhone(page)
    }
    expect(await page.evaluate('window.ran')).toBeUndefined()
  })

  test('show nothing of another organization', async () => {
    const page = await ui.open('archives', ui.server.bob)
    for (const path of WITH_TEXTS) {
      const loaded = page.waitForResponse(
        (response) => response.url().includes('/v1/') && response.request().method() === 'GET',
      )
      await page.goto(`/console/${path}`)
      await loaded
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect([path, await page.getByText(SCRIPT).count()]).toEqual([path, 0])
    }
    await page.goto(`/console/archives/${archive.id}`)
    await page.getByRole('alert').waitFor()
  })

  test('search an archive by vectors, by words and by both, with scores, and add passages to it', async () => {
    const page = await ui.open(`archives/${archive.id}?q=garden`, ui.server.alice)
    for (const name of ['By vectors', 'By words', 'By both']) {
      await page.getByRole('region', { name }).getByText('needs water').waitFor()
    }
    await page.getByRole('button', { name: 'Add passage' }).click()
    await page.getByLabel('Text').fill('Ada likes tea.')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.goto(`/console/archives/${archive.id}`)
    await page.getByText('Ada likes tea.').waitFor()
    await page.goto(`/console/archives/${archive.id}?q=tea`)
    const found = page.getByRole('region', { name: 'By words' })
    await found.getByRole('button', { name: 'Ada likes tea.' }).click()
    const passage = page.getByRole('dialog', { name: 'Passage' })
    await passage.getByText('Ada likes tea.').waitFor()
    await passage.getByRole('button', { name: 'Change tags' }).click()
    const form = page.getByRole('dialog', { name: 'Tags of this passage' })
    await form.getByRole('textbox', { name: 'Tags' }).fill('drinks, hot\nAda')
    await form.getByRole('button', { name: 'Save' }).click()
    for (const tag of ['drinks, hot', 'Ada']) await passage.getByText(tag, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await found.getByRole('button', { name: 'Delete this passage' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await found.getByText('Nothing found').waitFor()
  })

  test('upload dropped files, and follow each until agents can search it', async () => {
    const page = await ui.open(`folders/${folder.id}`, ui.server.alice)
    const files = ['a.txt', 'b.md'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(`About ${name}`),
    }))
    await page.locator('input[type=file]').setInputFiles(files)
    for (const { name } of files) {
      await page.getByRole('row', { name }).getByText('completed').waitFor()
    }
    const broken = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') }
    await page.locator('input[type=file]').setInputFiles(broken)
    const reason = /could not be read as a PDF/
    await page.getByRole('row', { name: 'broken.pdf' }).getByRole('button', { name: reason }).click()
    await page.getByRole('dialog').getByText(reason).waitFor()
  })

  test('derive the schema of a tool from its source, and store the tool', async () => {
    const page = await ui.open('tools/new', ui.server.alice)
    await page.getByText('roll_dice').first().waitFor()
    const editor = page.getByRole('textbox', { name: 'Source' })
    await editor.fill(SOURCE)
    await page.getByText('"Adds numbers."').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'add', level: 1 }).waitFor()
    const { body } = await ui.server.alice.get('/v1/tools?name=add')
    expect(body[0]).toMatchObject({ source_code: SOURCE, description: 'Adds numbers.' })
  })

  test('show changes as they happen, word by word, and those of one resource alone', async () => {
    const { alice } = ui.server
    const { id } = (await alice.post('/v1/blocks', { label: 'garden', value: 'Likes tea.' })).body
    const page = await ui.open('feed?operation=update', alice)
    await page.getByRole('heading', { name: 'Feed' }).waitFor()
    await alice.patch(`/v1/blocks/${id}`, { value: 'Likes coffee.' })
    const change = page.getByRole('listitem', { name: `changed ${id}:2` })
    await change.getByText('memory block garden').waitFor()
    await change.getByText('by the user').waitFor()
    expect(await change.getByRole('deletion').allTextContents()).toEqual(['tea'])
    expect(await change.getByRole('insertion').allTextContents()).toEqual(['coffee'])
    await page.getByLabel('Operation').selectOption('Any operation')
    await change.getByRole('button', { name: 'Only this resource' }).click()
    await page.getByRole('listitem', { name: `created ${id}:1` }).waitFor()
    const third = page.getByRole('region', { name: 'Changes' }).getByRole('listitem').nth(2)
    await third.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('resource')).toBe(id)
    const field = page.getByLabel('Id of a resource')
    expect(await field.inputValue()).toBe(id)
    await field.fill('')
    await third.waitFor()
    await page.getByLabel('Operation').selectOption('Created')
    await field.fill(archive.id)
    await page.getByRole('listitem', { name: `created ${archive.id}:1` }).waitFor()
  })

  test('show the state of the server to its operator, who has a failed job tried once more', async () => {
    const { alice, organizations, database } = ui.server
    const data = JSON.stringify({ run_id: SCRIPT, organization_id: organizations.alice })
    await sql`insert into jobs.job (name, data, state, completed_on, output)
      values ('run_callback', ${data}::jsonb, 'failed', now(), '{"message": "The receiver responded with 503."}')`.execute(
      database.kysely,
    )
    const page = await ui.open('admin', alice)
    await page.getByRole('tab', { name: 'Server' }).click()
    await page.getByText('PostgreSQL').waitFor()
    await page
      .getByRole('img', { name: /^Requests in the last hour: \d+, of these \d+ refused/ })
      .locator('canvas')
      .waitFor()
    await page.getByRole('table', { name: 'Background work' }).getByRole('row', { name: 'run callback' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'Failed jobs' }).click()
    await page.getByText('The receiver responded with 503.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Retry run callback' }).click()
    await page.getByText('No failed jobs').waitFor()
    expect(await page.evaluate('window.ran')).toBeUndefined()
    const other = await ui.open('admin', ui.server.bob)
    await other.getByRole('tab', { name: 'Server' }).click()
    await other.getByRole('alert').getByText('Only the organization that runs this server').waitFor()
  })

  test('add a provider, check its key, show what it offers, and embed an archive anew with its model', async () => {
    const provider = await startOpenAi()
    try {
      const page = await ui.open('models', ui.server.alice)
      await page.getByRole('button', { name: 'Add provider' }).click()
      await page.getByLabel('Name').fill('acme')
      await page.getByLabel('Type').selectOption('openai')
      await page.getByLabel('API key').fill(KEY)
      await page.getByLabel('Address').fill(provider.url)
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
      await page.getByRole('table', { name: 'Language models' }).getByText('acme/gpt-4o-mini').waitFor()
      await page.getByRole('button', { name: 'Check key' }).click()
      await page.getByText('Valid api key').waitFor()
      await page.goto(`/console/archives/${archive.id}`)
      await page.getByLabel('Embedding model').selectOption('acme/text-embedding-3-small')
      const embedded = async () => (await ui.server.alice.get(`/v1/archives/${archive.id}/embedding`)).body
      const handle = 'acme/text-embedding-3-small'
      await expect.poll(embedded, { timeout: 20_000 }).toMatchObject({ embedded: 2, embedding_config: { handle } })
      await page.getByText('2 of 2 passages embedded').waitFor()
    } finally {
      await provider.close()
    }
  })

  test('make a key that is shown once, and revoke it', async () => {
    const page = await ui.open('admin', ui.server.alice)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('button', { name: 'Create' }).click()
    const key = await page.getByText(/^cairn_/).textContent()
    expect((await ui.server.client(key!).get('/v1/blocks')).status).toBe(200)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Revoke the key laptop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row', { name: 'laptop' }).getByText('revoked').waitFor()
    expect((await ui.server.client(key!).get('/v1/blocks')).status).toBe(401)
  })
})
