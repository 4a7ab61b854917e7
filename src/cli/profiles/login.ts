import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { createClient } from '../client.ts'
import { wrongUse } from '../exit.ts'
import { profilesFile, readProfiles, USUAL_URL, writeProfiles } from '../profiles.ts'
import { ask, isInteractive, readInput } from '../prompt.ts'

interface Options {
  baseUrl?: string
}

async function login(cli: Cli, { baseUrl }: Options): Promise<void> {
  const profiles = readProfiles(cli.settings)
  const name = cli.profile ?? cli.settings.profile ?? 'default'
  const usual = profiles.profiles[name]?.base_url ?? USUAL_URL
  const asked = baseUrl ?? (isInteractive(cli) ? await ask(cli, `Server [${usual}]: `) : usual)
  const address = (asked || usual).replace(/\/+$/, '')
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw wrongUse(`The server must be an address such as ${USUAL_URL}, not "${address}".`)
  }
  const apiKey = isInteractive(cli) ? await ask(cli, 'API key (not shown): ', true) : (await readInput(cli)).trim()
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw wrongUse('The key must be printable ASCII characters without spaces.')
  // A wrong key is a 401 here; a key may lack the scope to list agents.
  await createClient({ baseUrl: address, apiKey })
    .get('/v1/agents/', { limit: 1 })
    .catch((error) => {
      if (error.status !== 403) throw error
    })
  const next = { ...profiles.profiles, [name]: { base_url: address, api_key: apiKey } }
  writeProfiles(cli.settings, { current: name, profiles: next })
  cli.print(`Stored profile "${name}" for ${address} in ${profilesFile(cli.settings)}.`)
}

/** `cairn login`: stores the address of a server and a key for it, once the server has accepted the key. */
export const loginCommand = (act: Act) =>
  new Command('login')
    .description('store a server and a key for it, as a profile')
    .option('--base-url <url>', `the server (default: ${USUAL_URL})`)
    .addHelpText(
      'after',
      `
The key is read from the terminal, or from the standard input.

Examples:
  cairn login
  cairn login --profile work --base-url https://cairn.example.com < key.txt`,
    )
    .action(act(login))
