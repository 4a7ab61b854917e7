import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll } from 'vitest'
import { runCairn } from '../src/cli/run.ts'
import type { Terminal } from '../src/cli/terminal.ts'
import type { ClientConfig } from '../src/config.ts'
import type { TestServer } from './server.ts'

/** What a command wrote, and its exit code. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

interface RunOptions {
  /** Whose key the command uses; default Alice's. */
  as?: 'alice' | 'bob'
  /** The standard input. */
  input?: string
  settings?: Partial<ClientConfig>
}

/** A command at a terminal. */
export interface Session {
  /** All that was written so far. */
  screen(): string
  /** Awaits a text on the screen behind the one that was awaited before. */
  until(text: string): Promise<void>
  type(text: string): void
  /** Presses Ctrl-C while the command doesn't read. */
  interrupt(): void
  exited: Promise<number>
}

export interface TestCli {
  url: string
  /** The directory of the files and the settings of commands. */
  directory: string
  cairn(args: readonly string[], options?: RunOptions): Promise<Ran>
  atTerminal(args: readonly string[], options?: RunOptions): Session
}

/** A stream that collects what is written to it. */
function collector() {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return { stream, text: () => text }
}

/** A terminal of a test. */
function createSession(run: (terminal: Terminal) => Promise<number>): Session {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const output = collector()
  const stdout = Object.assign(output.stream, { isTTY: true, columns: 100 })
  const handlers = new Set<() => void>()
  let seen = 0
  const onInterrupt = (handler: () => void) => {
    handlers.add(handler)
    return () => void handlers.delete(handler)
  }
  const exited = run({ stdin, stdout, stderr: stdout, onInterrupt })
  return {
    screen: output.text,
    async until(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const look = () => {
        const at = output.text().indexOf(text, seen)
        if (at < 0) return
        seen = at + text.length
        resolve()
      }
      stdout.on('data', look)
      exited.then(
        (code) => reject(new Error(`The command ended with ${code} before "${text}":\n${output.text()}`)),
        reject,
      )
      look()
      await promise.finally(() => stdout.off('data', look))
    },
    type: (text) => void stdin.write(text),
    interrupt: () => {
      for (const handler of handlers) handler()
    },
    exited,
  }
}

/** Commands on the server of a test, which listens on a port of its own. */
export function useCli(server: TestServer): TestCli {
  const cli = {} as TestCli
  const settingsOf = ({ as = 'alice', settings }: RunOptions): ClientConfig => ({
    baseUrl: cli.url,
    apiKey: server[as].key,
    profile: undefined,
    configDir: join(cli.directory, 'config'),
    stateDir: join(cli.directory, 'state'),
    directory: cli.directory,
    editor: 'false',
    color: false,
    ...settings,
  })
  beforeAll(async () => {
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    cli.url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
    cli.directory = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
  })
  afterAll(() => rmSync(cli.directory, { recursive: true }))
  return Object.assign(cli, {
    async cairn(args: readonly string[], options: RunOptions = {}) {
      const [stdout, stderr] = [collector(), collector()]
      const stdin = new PassThrough()
      stdin.end(options.input ?? '')
      const terminal = { stdin, stdout: stdout.stream, stderr: stderr.stream, onInterrupt: () => () => {} }
      const code = await runCairn(args, terminal, () => settingsOf(options))
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    },
    atTerminal: (args: readonly string[], options: RunOptions = {}) =>
      createSession((terminal) => runCairn(args, terminal, () => settingsOf(options))),
  })
}
