import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { Cli } from '../cli.ts'
import { wrongUse } from '../exit.ts'

const TYPES = { '.py': 'python', '.ts': 'typescript' } as const

/** The file name extension of the source of a tool. */
export const extensionOf = (sourceType: string | undefined) => (sourceType === 'typescript' ? '.ts' : '.py')

/** The source of a tool in a file, whose extension says the language. */
export function readSource({ settings }: Cli, file: string) {
  const type = TYPES[extname(file) as keyof typeof TYPES]
  if (!type)
    throw wrongUse(`"${file}" must end in ${Object.keys(TYPES).join(' or ')}: the extension says the language.`)
  return { source_code: readFileSync(resolve(settings.directory, file), 'utf8'), source_type: type }
}
