import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** A message of the Connect protocol in a stream. */
function envelope(message: object, flag = 0): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(text.length, 1)
  return Buffer.concat([head, text])
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** E2B's API: machines are directories, and their commands run here. */
export async function e2bStandIn(key: string): Promise<Server & { machines: Map<string, string> }> {
  const machines = new Map<string, string>()
  const rootOf = () => [...machines.values()].at(-1)!
  const within = (text: string) => text.replaceAll('/tmp/cairn', rootOf())

  /** Runs a command, and reports its output and its end. */
  async function* run(command: string): AsyncIterable<Buffer> {
    yield envelope({ event: { start: { pid: 7 } } })
    const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
      const path = `${dirname(process.execPath)}:/usr/bin:/bin`
      execFile('/bin/sh', ['-c', within(command)], { env: { PATH: path }, timeout: 30_000 }, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      )
    })
    if (ended.stdout) yield envelope({ event: { data: { stdout: base64(ended.stdout) } } })
    if (ended.stderr) yield envelope({ event: { data: { stderr: base64(ended.stderr) } } })
    yield envelope({ event: { end: { exitCode: ended.code, exited: true, status: `exit status ${ended.code}` } } })
    yield envelope({}, 2)
  }

  async function store({ headers, text }: Asked): Promise<Answer> {
    const form = await new Response(text, { headers: { 'content-type': headers['content-type']! } }).formData()
    const files = (form as unknown as Map<string, File>).entries() // The entries of a form are those of a map.
    const stored = []
    for (const [, file] of files) {
      const path = within(file.name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, within(await file.text()))
      stored.push({ name: file.name, path: file.name, type: 'file' })
    }
    return { status: 200, body: stored }
  }

  const server = await serve(async (asked) => {
    const { method, path, headers, text } = asked
    const { pathname, searchParams } = new URL(path, 'http://e2b')
    if (pathname.includes('sandboxes') && headers['x-api-key'] !== key)
      return { status: 401, body: { message: 'no such key' } }
    if (pathname === '/v2/sandboxes') {
      const id = `machine${machines.size}`
      machines.set(id, mkdtempSync(join(tmpdir(), 'cairn-e2b-')))
      return { status: 201, body: { sandboxID: id, clientID: 'c', templateID: 'base', envdVersion: '0.4.0' } }
    }
    if (method === 'DELETE') {
      const id = pathname.split('/').at(-1)!
      rmSync(machines.get(id)!, { recursive: true, force: true })
      machines.delete(id)
      return { status: 204, body: '' }
    }
    if (pathname === '/files' && method === 'POST') return store(asked)
    if (pathname === '/files') {
      const file = within(searchParams.get('path')!)
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: readFileSync(file, 'utf8') }
    }
    const { process: started } = JSON.parse(text.slice(5))
    return { status: 200, headers: { 'content-type': 'application/connect+json' }, body: run(started.args.at(-1)) }
  })
  return { ...server, machines }
}
