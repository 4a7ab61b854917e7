import { wrongUse } from '../exit.ts'

/** How commands describe the argument that names a version. */
export const VERSION_ARGUMENT = ['[version]', 'the version that the change made (default: the last one)'] as const

/** The number of a version. Throws for what is none. */
export function readVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw wrongUse(`"${text}" is no version. "cairn blocks history" lists versions.`)
  return Number(text)
}
