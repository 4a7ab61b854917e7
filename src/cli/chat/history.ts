import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from '../../config.ts'

/** The lines that are stored at most. */
export const HISTORY_SIZE = 500

const fileOf = ({ stateDir }: ClientConfig) => join(stateDir, 'chat-history')

/** The lines that were typed in chats, the latest first. */
export function readHistory(settings: ClientConfig): string[] {
  try {
    return readFileSync(fileOf(settings), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** Stores the lines of chats, readable by their owner alone. A chat goes on where that fails. */
export function writeHistory(settings: ClientConfig, lines: readonly string[]): void {
  try {
    mkdirSync(settings.stateDir, { recursive: true, mode: 0o700 })
    writeFileSync(fileOf(settings), `${lines.join('\n')}\n`, { mode: 0o600 })
  } catch {}
}
