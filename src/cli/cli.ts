import { styleText } from 'node:util'
import type { ClientConfig } from '../config.ts'
import { type Client, createClient } from './client.ts'
import { connectionOf } from './profiles.ts'
import { safeText, type Terminal } from './terminal.ts'

/** The options of every command. */
export interface CommonOptions {
  json?: boolean
  profile?: string
  /** False with `--no-color`. */
  color?: boolean
}

type Format = Parameters<typeof styleText>[0]

/** What a command works with: the terminal, the settings, and the server. */
export interface Cli {
  terminal: Terminal
  settings: ClientConfig
  /** Whether the output is JSON. */
  json: boolean
  /** The name of the profile that the command names. */
  profile: string | undefined
  /** The API of the server. Throws without a key. */
  client(): Client
  /** A text in a colour or weight, where the terminal shows these. */
  style(format: Format, text: string): string
  /** Writes a part of a line of the result. */
  write(text: string): void
  /** Writes a line of the result. */
  print(text: string): void
  /** Writes a line beside the result, to the standard error. */
  note(text: string): void
  /** Writes a value: as JSON with `--json`, else as the text. */
  show(value: unknown, text: () => string): void
}

/** What a command with these options works with. */
export function createCli(terminal: Terminal, settings: ClientConfig, options: CommonOptions): Cli {
  const { stdout, stderr } = terminal
  const color = options.color === false ? false : (settings.color ?? stdout.isTTY ?? false)
  const write = (text: string) => void stdout.write(stdout.isTTY ? safeText(text) : text)
  const print = (text: string) => write(`${text}\n`)
  const json = options.json ?? false
  return {
    terminal,
    settings,
    json,
    profile: options.profile,
    client: () => createClient(connectionOf(settings, options.profile)),
    style: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
    write,
    print,
    note: (text) => void stderr.write(`${safeText(text)}\n`),
    show: (value, text) => print(json ? JSON.stringify(value, null, 2) : text()),
  }
}
