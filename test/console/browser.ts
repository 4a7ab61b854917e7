import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { pino } from 'pino'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { build, isOutdated } from '../../src/http/console/build.ts'
import { type Client, startTestServer, type TestServer } from '../server.ts'

/** Where Debian, Ubuntu and macOS have Chromium. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const CHROMIUM = PLACES.find((path) => existsSync(path))

/** `describe` for tests in a browser: they are skipped where there is no Chromium, and their title says so. */
export const describeInBrowser = (title: string, tests: () => void) =>
  CHROMIUM ? describe(title, tests) : describe.skip(`${title} (no Chromium here: apt-get install chromium)`, tests)

const CONSOLE = fileURLToPath(new URL('../../console', import.meta.url))

/** Builds the console unless its pages are newer than their sources. The workers of the suite take turns. */
async function ensureBuilt(): Promise<void> {
  const turn = new DatabaseSync(join(tmpdir(), 'cairn-console-build'))
  try {
    turn.exec('pragma busy_timeout = 120000; begin exclusive')
    if (!isOutdated(CONSOLE)) return
    const built = await build(CONSOLE, pino(), new AbortController().signal)
    if (!built) throw new Error('The console could not be built; the log says why.')
  } finally {
    turn.close()
  }
}

/** The errors of a page that a user would not see: exceptions, and violations of the Content-Security-Policy. */
function watchErrors(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(String(error.stack)))
  page.on('console', (message) => {
    // The browser reports each response with an error status, which a page may expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
}

export interface ConsoleUnderTest {
  server: TestServer
  /** The base URL of the server. */
  url: string
  /** Opens a page of the console in a session of its own, signed in with a key of this client; without one, signed out. */
  open(path: string, client?: Client, options?: BrowserContextOptions): Promise<Page>
}

/** A browser and a server for all tests of a file. After each test its pages are closed, and none may have had errors. */
export function useConsole(...[settings]: Parameters<typeof startTestServer>): ConsoleUnderTest {
  const ui = {} as ConsoleUnderTest
  const errors: string[] = []
  let browser: Browser
  beforeAll(async () => {
    await ensureBuilt()
    // Root may not use the browser's own sandbox.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    browser = await chromium.launch({ executablePath: CHROMIUM!, args })
    const server = await startTestServer({ defaultModel: 'cairn/scripted', ...settings })
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    await server.app.workers.start()
    Object.assign(ui, { server, url })
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    expect(errors.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await ui.server?.close()
  })
  ui.open = async (path, client, options = {}) => {
    const context = await browser.newContext({ baseURL: ui.url, reducedMotion: 'reduce', ...options })
    if (client) await context.addInitScript(`sessionStorage.setItem('cairn.key', ${JSON.stringify(client.key)})`)
    const page = await context.newPage()
    watchErrors(page, errors)
    await page.goto(`/console/${path}`)
    return page
  }
  return ui
}

/** Expects a page without serious findings of axe, in light and in dark, which differ in their colours alone. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The other mode works in a page of its own; there are no frames here that would need it.
    const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
    const { violations } = await (colorScheme === 'dark' ? axe.withRules('color-contrast') : axe).analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const found = serious.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }))
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] })
  }
}

/** Expects a page that needs no scrolling to the side at the width of a phone, and whose controls are all within it. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  const found = await page.evaluate(`({
    width: document.documentElement.scrollWidth,
    cut: [...document.querySelectorAll('button, select, input, [role=tab]')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.outerHTML),
  })`)
  expect(found).toEqual({ width: 390, cut: [] })
  await page.setViewportSize(size)
}
