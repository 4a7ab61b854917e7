import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from './cli.ts'
import { CommandError } from './exit.ts'

/** Opens a text in the user's editor, and returns it as the editor leaves it. `name` is that of the file. */
export async function editText({ settings }: Cli, text: string, name: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-'))
  const file = join(directory, name)
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // The shell divides an editor with options, such as `code --wait`.
    const editor = spawn(`${settings.editor} "${file}"`, { shell: true, stdio: 'inherit' })
    const [code] = await once(editor, 'close')
    if (code !== 0)
      throw new CommandError(`The editor "${settings.editor}" ended with code ${code}. Nothing was changed.`)
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}
