import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { report } from './files.ts'

/** The most that `npm ci --omit=dev` may take on a disk, in MiB. */
const LIMIT = 350

/** Smallest unit in which file systems allocate space. */
const BLOCK = 4096

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Paths of the packages that a production install has on this platform: package-lock.json marks the others. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev && existsSync(`${ROOT}/${path}`))
    .map(([path]) => path)
}

/** Disk space of a package in bytes, packages nested in it left out. */
function sizeOf(path: string): number {
  const files = globSync('**', { cwd: `${ROOT}/${path}`, exclude: ['node_modules'] })
  return files.reduce((sum, file) => {
    const stat = lstatSync(`${ROOT}/${path}/${file}`)
    return sum + (stat.isDirectory() ? BLOCK : Math.ceil(stat.size / BLOCK) * BLOCK)
  }, 0)
}

const mib = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)
const sizes = productionPackages().map((path) => ({ path, size: sizeOf(path) }))
const total = sizes.reduce((sum, { size }) => sum + size, 0)
const largest = sizes.sort((a, b) => b.size - a.size).slice(0, 15)

console.log(`A production install takes ${mib(total)} MiB; the limit is ${LIMIT}.`)
report(
  'install size',
  total <= LIMIT * 1024 ** 2
    ? []
    : [
        `A production install takes ${mib(total)} MiB, more than ${LIMIT}. The largest packages, in MiB:`,
        ...largest.map(({ path, size }) => `${mib(size).padStart(8)}  ${path}`),
      ],
)
