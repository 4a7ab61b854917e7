import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { wrongUse } from '../exit.ts'
import { type Profiles, readProfiles, writeProfiles } from '../profiles.ts'
import { showRows } from '../table.ts'

/** The profiles, one of which is called `name`. */
function having(cli: Cli, name: string): Profiles {
  const profiles = readProfiles(cli.settings)
  if (!Object.hasOwn(profiles.profiles, name))
    throw wrongUse(`No profile "${name}". \`cairn profiles list\` lists them.`)
  return profiles
}

async function list(cli: Cli): Promise<void> {
  const { current, profiles } = readProfiles(cli.settings)
  const rows = Object.entries(profiles).map(([name, { base_url }]) => ({ name, base_url, current: name === current }))
  await showRows(cli, rows, {
    PROFILE: ({ name }) => name,
    SERVER: ({ base_url }) => base_url,
    CURRENT: ({ current }) => (current ? 'yes' : ''),
  })
}

async function use(cli: Cli, name: string): Promise<void> {
  writeProfiles(cli.settings, { ...having(cli, name), current: name })
  cli.print(`Commands use profile "${name}" from now on.`)
}

async function remove(cli: Cli, name: string): Promise<void> {
  const { current, profiles } = having(cli, name)
  const { [name]: _removed, ...others } = profiles
  writeProfiles(cli.settings, { ...(current && current !== name && { current }), profiles: others })
  cli.print(`Removed profile "${name}". The key stays valid: \`cairn keys revoke\` ends it.`)
}

/** `cairn profiles`: the servers that commands can work on. */
export function profilesCommand(act: Act): Command {
  const profiles = new Command('profiles').description('list, choose and remove profiles of `cairn login`')
  profiles.command('list').description('list profiles, without their keys').action(act(list))
  profiles.command('use <name>').description('use a profile from now on').action(act(use))
  profiles.command('remove <name>').description('remove a profile with its key').action(act(remove))
  return profiles
}
