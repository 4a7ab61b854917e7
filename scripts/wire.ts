import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { agrees } from '../test/wire/count.ts'
import { FOLDER, play, recordingsExist, type Server, scenarios, settingsFor, startModel } from '../test/wire/play.ts'

/** Starts the server on an empty database in memory, and waits for its greeting. */
async function startServer(modelUrl: string): Promise<Server & { stop(): void }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'memory:', LOG_LEVEL: 'error', ...settingsFor(modelUrl) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found: Record<string, string> = {}
  for await (const line of createInterface(child.stdout)) {
    const [, name, value] = /^(\w+) +(\S+)/.exec(line) ?? []
    if (name && value) found[name] = value
    if (name === 'Try') break
  }
  if (!found.Cairn || !found.Key) throw new Error('The server did not start.')
  return { url: found.Cairn, key: found.Key, stop: () => void child.kill() }
}

// npm run wire [-- --details] [scenario …]: how much of what the retired server said this server says, too.
const details = process.argv.includes('--details')
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
if (!recordingsExist()) {
  console.log(`Left out: there are no recordings in ${FOLDER}. WIRE_RECORDINGS names their folder.`)
  process.exit(0)
}
const names = asked.length > 0 ? asked : scenarios()
const model = await startModel()
const server = await startServer(model.url)
const total = { steps: 0, agreeing: 0, scenarios: 0 }
try {
  for await (const agreement of play(server, model.url, names)) {
    const { scenario, steps, agreeing, accepted, differences } = agreement
    const mark = agrees(agreement) ? 'agrees' : `${differences.length} differences`
    console.log(
      `${scenario.padEnd(26)} ${`${agreeing} of ${steps}`.padStart(8)}  ${mark}${accepted > 0 ? `, ${accepted} accepted` : ''}`,
    )
    if (details) for (const { where, what } of differences) console.log(`  ${where}: ${what}`)
    total.steps += steps
    total.agreeing += agreeing
    total.scenarios += agrees(agreement) ? 1 : 0
  }
} finally {
  server.stop()
  model.close()
}
console.log(`${total.agreeing} of ${total.steps} steps, ${total.scenarios} of ${names.length} scenarios`)
