import { readFileSync, writeFileSync } from 'node:fs'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { openStorage } from '../src/cli/open.ts'
import { readConfig } from '../src/config.ts'
import { openJobs } from '../src/db/jobs.ts'
import type { App } from '../src/http/server.ts'

const FILE = new URL('../openapi.json', import.meta.url)
const PACKAGE = new URL('../package.json', import.meta.url)

const versionOf = () => (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version

/** The OpenAPI document of an app as openapi.json holds it: the package's version, two spaces, a line end at the end. */
export function openApiText(app: App): string {
  const document = app.swagger()
  return `${JSON.stringify({ ...document, info: { ...document.info, version: versionOf() } }, null, 2)}\n`
}

/** The text of the committed openapi.json; empty when there is none. */
export function committedOpenApi(): string {
  try {
    return readFileSync(FILE, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}

/** The document of this code's app, built over a database in memory. */
async function currentOpenApi(): Promise<string> {
  const config = readConfig({ DATABASE_URL: 'memory:' })
  const { database, cipher } = await openStorage(config)
  try {
    const logger = pino({ level: 'silent' })
    const jobs = await openJobs(database)
    const app = await buildApp({ config, database, cipher, jobs, logger, version: versionOf() })
    const text = openApiText(app)
    await app.close()
    return text
  } finally {
    await database.close()
  }
}

if (import.meta.main) {
  const text = await currentOpenApi()
  if (process.argv.includes('--write')) {
    writeFileSync(FILE, text)
    console.log(`openapi.json written: ${Object.keys(JSON.parse(text).paths).length} paths`)
  } else if (text !== committedOpenApi()) {
    console.error('openapi.json is not what the code describes. Run `npm run openapi` and commit the file.')
    process.exitCode = 1
  } else {
    console.log('openapi.json is what the code describes')
  }
}
