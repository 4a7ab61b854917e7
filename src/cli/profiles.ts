import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from '../config.ts'
import type { Connection } from './client.ts'
import { CommandError, wrongUse } from './exit.ts'

/** The address of a server that was started without settings. */
export const USUAL_URL = 'http://localhost:8283'

/** Servers and the keys for them, by names of the user. */
export interface Profiles {
  current?: string
  profiles: Record<string, { base_url: string; api_key: string }>
}

export const profilesFile = ({ configDir }: ClientConfig) => join(configDir, 'config.json')

/** Reads the file of profiles; without a file there are none. Throws where other users of the machine can read the file. */
export function readProfiles(settings: ClientConfig): Profiles {
  const file = profilesFile(settings)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return { profiles: {} }
  if (process.platform !== 'win32' && stats.mode & 0o077) {
    throw new CommandError(`Other users can read the keys in ${file}. Run: chmod 600 ${file}`)
  }
  try {
    return { profiles: {}, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Profiles>) }
  } catch (error) {
    throw new CommandError(`${file} is no JSON: ${(error as Error).message}. Mend it, or delete it and log in again.`)
  }
}

/** Writes the file of profiles in one go, readable by its owner alone. */
export function writeProfiles(settings: ClientConfig, profiles: Profiles): void {
  mkdirSync(settings.configDir, { recursive: true, mode: 0o700 })
  const file = profilesFile(settings)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}

const NO_KEY =
  'No key. Store one with `cairn login`, or set CAIRN_API_KEY to the key that the server printed when it first started.'

/**
 * The server and the key of a command: of the profile that it names, else of the environment, else of the current profile.
 * A key is never used for a server that another source names.
 */
export function connectionOf(settings: ClientConfig, named: string | undefined): Connection {
  const { baseUrl, apiKey } = settings
  if (named === undefined && (baseUrl ?? apiKey) !== undefined) {
    if (apiKey === undefined) throw wrongUse('CAIRN_BASE_URL is set without CAIRN_API_KEY: set both, or neither.')
    return { baseUrl: baseUrl ?? USUAL_URL, apiKey }
  }
  const { current, profiles } = readProfiles(settings)
  const name = named ?? settings.profile ?? current
  if (name === undefined) throw wrongUse(NO_KEY)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) {
    const known = Object.keys(profiles).join(', ') || 'none'
    throw wrongUse(`No profile "${name}"; there are: ${known}. \`cairn login --profile ${name}\` makes one.`)
  }
  return { baseUrl: profile.base_url, apiKey: profile.api_key }
}
