import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { zip } from '../documents.ts'
import { type Answer, type Server, serve } from './wire.ts'

/** A package: the texts of its files, by their paths. */
export interface StandInPackage {
  name: string
  version?: string
  files: Record<string, string>
  /** The packages that it needs, by their names. */
  needs?: readonly string[]
  /** As a source archive alone, whose `setup.py` pip would run. */
  source?: boolean
}

const fileOf = ({ name, version = '1.0.0', source }: StandInPackage) =>
  source ? `${name}-${version}.tar.gz` : `${name}-${version}-py3-none-any.whl`

/** An entry of a tar archive (ustar), with its content, or as a link. */
function tarEntry(path: string, content: string, link?: string): Buffer {
  const header = Buffer.alloc(512)
  const bytes = Buffer.from(link ? '' : content)
  header.write(path, 0)
  for (const [at, value] of [
    [100, 0o644],
    [108, 0],
    [116, 0],
  ] as const)
    header.write(`${value.toString(8).padStart(7, '0')}\0`, at)
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write(`${'0'.padStart(11, '0')}\0`, 136)
  header.write(' '.repeat(8), 148)
  header.write(link ? '2' : '0', 156)
  header.write(link ?? '', 157)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

const tarball = (root: string, files: Record<string, string>, links: Record<string, string> = {}) =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(files).map(([path, text]) => tarEntry(`${root}/${path}`, text)),
      ...Object.entries(links).map(([path, to]) => tarEntry(`${root}/${path}`, '', to)),
      Buffer.alloc(1024),
    ]),
  )

/** A wheel (PEP 427). */
function wheel({ name, version = '1.0.0', files, needs = [] }: StandInPackage): Buffer {
  const info = `${name}-${version}.dist-info`
  const requires = needs.map((other) => `Requires-Dist: ${other}\n`).join('')
  const all: Record<string, string> = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires}`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: stand-in\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const record = [...Object.keys(all), `${info}/RECORD`].map((path) => `${path},,\n`).join('')
  return zip(
    Object.entries({ ...all, [`${info}/RECORD`]: record }).map(([path, text]) => ({
      name: path,
      bytes: Buffer.from(text),
    })),
  )
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}

const binary = (bytes: Buffer): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
  body: once(bytes),
})

/** An index of Python packages (PEP 503), below `/simple/`. */
export function pipIndex(packages: readonly StandInPackage[]): Promise<Server> {
  return serve(({ path }) => {
    const [, name] = /^\/simple\/([^/]+)\/$/.exec(path) ?? []
    const found = packages.filter((one) => one.name === name)
    if (name && found.length > 0) {
      const links = found.map((one) => `<a href="/files/${fileOf(one)}">${fileOf(one)}</a>`).join('\n')
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: `<!DOCTYPE html><html><body>${links}</body></html>`,
      }
    }
    const file = packages.find((one) => path === `/files/${fileOf(one)}`)
    if (!file) return { status: 404, body: 'no such package' }
    return binary(file.source ? tarball(`${file.name}-1.0.0`, file.files) : wheel(file))
  })
}

/** A registry of npm packages. */
export async function npmRegistry(
  packages: readonly (StandInPackage & { links?: Record<string, string> })[],
): Promise<Server> {
  const archives = new Map(
    packages.map(({ name, version = '1.0.0', files, links, needs = [] }) => {
      const dependencies = Object.fromEntries(needs.map((other) => [other, '*']))
      const manifest = { name, version, main: 'index.js', dependencies, scripts: { postinstall: 'node index.js' } }
      return [
        name,
        { manifest, bytes: tarball('package', { 'package.json': JSON.stringify(manifest), ...files }, links) },
      ]
    }),
  )
  const server = await serve(({ path }) => {
    const name = decodeURIComponent(path.slice(1)).replace(/\/-\/.*$/, '')
    const found = archives.get(name)
    if (!found) return { status: 404, body: { error: 'not_found' } }
    const { manifest, bytes } = found
    if (path.includes('/-/')) return binary(bytes)
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const dist = { tarball: `${server.url}/${name}/-/${manifest.version}.tgz`, integrity }
    return {
      status: 200,
      body: {
        name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
        time: { [manifest.version]: '2020-01-01T00:00:00.000Z' },
      },
    }
  })
  return server
}
