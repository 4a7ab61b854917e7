import { createInterface } from 'node:readline'
import type { Cli } from '../cli.ts'
import { HISTORY_SIZE, readHistory, writeHistory } from './history.ts'
import { createMessageLines } from './message-lines.ts'

const PROMPT = '> '
const MORE = '… '

/**
 * Reads a message at the terminal. Ctrl-C drops what is typed; a second one at an empty prompt, or Ctrl-D, ends the chat:
 * undefined.
 */
export function readMessage(cli: Cli): Promise<string | undefined> {
  const { stdin, stdout } = cli.terminal
  const typed = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    prompt: cli.style('bold', PROMPT),
    history: readHistory(cli.settings),
    historySize: HISTORY_SIZE,
    removeHistoryDuplicates: true,
  })
  const message = createMessageLines()
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let arrived: string[] = []
  let isWarned = false

  function prompt() {
    typed.setPrompt(cli.style('bold', message.isEmpty() ? PROMPT : MORE))
    typed.prompt(true)
  }

  function finish(text: string | undefined) {
    resolve(text)
    typed.close()
  }

  /** Pasted lines come at once. */
  function takeArrived() {
    const lines = arrived
    arrived = []
    const text = message.add(lines, typed.line !== '')
    if (text === undefined) return prompt()
    finish(text)
  }

  typed.on('history', (lines) => writeHistory(cli.settings, lines))
  typed.on('line', (line) => {
    if (arrived.push(line) === 1) setImmediate(takeArrived)
  })
  typed.on('SIGINT', () => {
    const isEmpty = message.isEmpty() && typed.line === ''
    if (isEmpty && isWarned) return finish(undefined)
    isWarned = isEmpty
    stdout.write(isEmpty ? '\nCtrl-C again, or Ctrl-D, ends the chat.\n' : '\n')
    message.clear()
    typed.write(null, { ctrl: true, name: 'e' })
    typed.write(null, { ctrl: true, name: 'u' })
    prompt()
  })
  typed.on('close', () => resolve(undefined))
  prompt()
  return promise
}
