import { join } from 'node:path'
import { type Bubblewrap, bubblewrapped, ENVIRONMENT } from './bubblewrap.ts'
import type { InstallerSettings } from './install.ts'
import type { Local } from './local.ts'
import { LIMITS, type Service } from './sandbox.ts'
import type { Command } from './spawn.ts'

/** How programs are run on this machine, and what installs their packages. */
export interface Enclosure {
  enclose: Local['enclose']
  encloseInstaller: InstallerSettings['enclose']
  encloseService(service: Service): Command
  uid: number | undefined
}

/** A program that lies elsewhere than those of the system is seen under this path. */
const PROGRAM = '/run/program'

/** A command as it is inside, and the mount of its program. */
function relocated(line: readonly string[]) {
  const outside = line.find((part) => part.startsWith('/') && !/^\/(usr\/(local\/)?bin|target)(\/|$)/.test(part))
  if (outside === undefined) return { line, mounts: {} }
  return { line: line.map((part) => (part === outside ? PROGRAM : part)), mounts: { [outside]: PROGRAM } }
}

/** Mounts of directories under their own paths. */
const inPlace = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, path]))

/** In sandboxes of bubblewrap. */
export const enclosedIn = (bubblewrap: Bubblewrap): Enclosure => ({
  enclose(program, packages, disk) {
    const { line, mounts } = relocated(program)
    const seen = { ...mounts, ...(packages && { [packages]: '/packages' }) }
    return { command: bubblewrapped(bubblewrap, line, { mounts: seen, disk }), packages: packages && '/packages' }
  },
  encloseInstaller(program, directory) {
    const { line, mounts } = relocated(program)
    const surroundings = {
      mounts,
      writable: { [directory]: '/target' },
      network: true,
      installs: true,
      disk: LIMITS.disk,
    }
    return { command: bubblewrapped(bubblewrap, line, surroundings), inside: '/target' }
  },
  encloseService({ command, args = [], env, network, read = [], write = [] }) {
    const [mounts, writable] = [inPlace(read), inPlace(write)]
    return bubblewrapped(bubblewrap, [command, ...args], { mounts, writable, network, env, disk: LIMITS.disk })
  },
  uid: bubblewrap.uid,
})

/** Without a sandbox, as the user of the server. */
export const unenclosed: Enclosure = {
  enclose: ([file, ...args], packages) => ({ command: { file: file!, args }, packages }),
  encloseInstaller: ([file, ...args], directory) => ({ command: { file: file ?? '', args }, inside: directory }),
  encloseService: ({ command, args = [], env }) => ({ file: command, args, env: { ...ENVIRONMENT, ...env } }),
  uid: undefined,
}

/** The directory of installed packages: a sandbox whose user isn't the server's can't reach the server's own. */
export const packagesDirectory = ({ uid }: Enclosure, dataDir: string) =>
  uid === undefined ? join(dataDir, 'packages') : '/var/cache/cairn/packages'
