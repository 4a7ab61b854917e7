import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { SandboxLimits } from './sandbox.ts'
import { callFilter } from './seccomp.ts'
import type { Command } from './spawn.ts'

/** What a program sees, besides the programs and libraries of the system. */
export interface Surroundings {
  /** Directories mounted read-only: the place inside, by the place outside. */
  mounts: Readonly<Record<string, string>>
  /** Directories to write to, likewise. */
  writable?: Readonly<Record<string, string>>
  disk: SandboxLimits['disk']
  /** Whether it has the network of the server. */
  network?: boolean | undefined
  /** Whether it installs packages, and runs no code of users: it may make any system call. */
  installs?: boolean
  /** Its environment, besides the usual one. */
  env?: Readonly<Record<string, string>> | undefined
}

export interface Bubblewrap {
  file: string
  /** Whether it can forbid user namespaces inside, through which a program reaches more of the kernel. */
  disablesUserns: boolean
  /** The user that sandboxes run as, where the server runs as root. */
  uid: number | undefined
  /** Directories that no sandbox sees, wherever they lie. */
  hidden: readonly string[]
}

/** The parts of the system that programs need. Nothing of /etc but the certificates, and no home. */
const SYSTEM = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/share/ca-certificates',
  '/usr/share/zoneinfo',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
]

/** The files that name servers of the network. */
const NETWORK = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/ssl/openssl.cnf'].filter(existsSync)

/** The environment of all programs. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin', HOME: '/tmp', LANG: 'C.UTF-8' }

/** The user `nobody`, which owns no files. */
export const NOBODY = 65_534

const systemMounts = SYSTEM.flatMap((path) => ['--ro-bind-try', path, path])
const links = ['bin', 'lib', 'lib32', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])

/** The command that runs `program` in a sandbox: without network, processes, files or environment of others. */
export function bubblewrapped(
  { file, disablesUserns, uid, hidden }: Bubblewrap,
  program: readonly string[],
  { mounts, writable = {}, disk, network, installs, env }: Surroundings,
): Command {
  const tmpfs = (path: string) => ['--size', String(disk), '--perms', '1777', '--tmpfs', path]
  const seen = [...SYSTEM, ...Object.values(mounts), ...Object.values(writable)]
  const covered = hidden.filter(
    (path) => existsSync(path) && seen.some((root) => path === root || path.startsWith(root + sep)),
  )
  const filter = installs ? undefined : callFilter()
  const args = [
    ...(filter ? ['--seccomp', '4'] : []),
    ...[
      '--unshare-all',
      ...(network ? ['--share-net'] : []),
      '--unshare-user',
      ...(disablesUserns ? ['--disable-userns'] : []),
    ],
    ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
    ...['--uid', String(NOBODY), '--gid', String(NOBODY)],
    ...systemMounts,
    ...links,
    ...['--proc', '/proc', '--dev', '/dev', ...tmpfs('/dev/shm'), ...tmpfs('/tmp')],
    ...Object.entries(mounts).flatMap(([outside, inside]) => ['--ro-bind', outside, inside]),
    ...(network ? NETWORK.flatMap((path) => ['--ro-bind', realpathSync(path), path]) : []),
    ...Object.entries(writable).flatMap(([outside, inside]) => ['--bind', outside, inside]),
    ...covered.flatMap((path) => ['--tmpfs', path]),
    ...['--remount-ro', '/', '--remount-ro', '/dev', '--chdir', '/tmp', '--'],
    ...program,
  ]
  return { file, args, env: { ...ENVIRONMENT, ...env }, uid, filter }
}
