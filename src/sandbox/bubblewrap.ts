import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { Command } from './one-shot.ts'
import type { SandboxLimits } from './sandbox.ts'
import { callFilter } from './seccomp.ts'

/** What a program sees, besides the programs and libraries of the system. */
export interface Surroundings {
  /** Directories mounted read-only: the place inside, by the place outside. */
  mounts: Readonly<Record<string, string>>
  disk: SandboxLimits['disk']
  /** For installers, which run no code of users: a directory to write to, by its place outside, and the network of the server. */
  installs?: Readonly<Record<string, string>>
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

/** The user `nobody`, which owns no files. */
export const NOBODY = 65_534

const systemMounts = SYSTEM.flatMap((path) => ['--ro-bind-try', path, path])
const links = ['bin', 'lib', 'lib32', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])

/** The command that runs `program` in a sandbox: without network, processes, files or environment of others. */
export function bubblewrapped(
  { file, disablesUserns, uid, hidden }: Bubblewrap,
  program: readonly string[],
  { mounts, disk, installs }: Surroundings,
): Command {
  const tmpfs = (path: string) => ['--size', String(disk), '--perms', '1777', '--tmpfs', path]
  const covered = hidden.filter(
    (path) => existsSync(path) && SYSTEM.some((root) => path === root || path.startsWith(root + sep)),
  )
  const filter = installs ? undefined : callFilter()
  const args = [
    ...(filter ? ['--seccomp', '4'] : []),
    ...[
      '--unshare-all',
      ...(installs ? ['--share-net'] : []),
      '--unshare-user',
      ...(disablesUserns ? ['--disable-userns'] : []),
    ],
    ...['--die-with-parent', '--new-session', '--clearenv', '--hostname', 'sandbox'],
    ...['--uid', String(NOBODY), '--gid', String(NOBODY)],
    ...systemMounts,
    ...links,
    ...covered.flatMap((path) => ['--tmpfs', path]),
    ...['--proc', '/proc', '--dev', '/dev', ...tmpfs('/dev/shm'), ...tmpfs('/tmp')],
    ...Object.entries(mounts).flatMap(([outside, inside]) => ['--ro-bind', outside, inside]),
    ...(installs ? NETWORK.flatMap((path) => ['--ro-bind', realpathSync(path), path]) : []),
    ...Object.entries(installs ?? {}).flatMap(([outside, inside]) => ['--bind', outside, inside]),
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin', '--setenv', 'HOME', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
    ...['--remount-ro', '/', '--remount-ro', '/dev', '--chdir', '/tmp', '--'],
    ...program,
  ]
  return { file, args, uid, filter }
}
