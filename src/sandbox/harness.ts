/**
 * Runs one tool in TypeScript: as harness.py. Deno runs this file by itself, with nothing of this server: it imports from Node's
 * library alone.
 */
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env as environment, exit } from 'node:process'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

interface Job {
  nonce: string
  code: string
  name?: string
  args: Record<string, unknown>
  /** The names of the parameters, in their order. */
  parameters?: string[]
  env: Record<string, string>
  paths: string[]
  /** The name of the source, by which its language is known. */
  file?: string
}

/** JSON of a value; undefined for a value that JSON can't express. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value ?? null)
  } catch {
    return undefined
  }
}

function returned(value: unknown) {
  const json = jsonOf(value)
  const text = typeof value === 'string' ? value : (json ?? inspect(value))
  return { status: 'success', text, value: json === undefined ? text : JSON.parse(json) }
}

/** An error with the lines of its stack that are in the tool's own source. */
function thrown(error: unknown, directory: string) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const plain = (text: string) => text.replaceAll(`${pathToFileURL(directory).href}/`, '')
  const lines = (stack ?? `${name}: ${message}`).split('\n').filter((line) => !/\bat .*(data:|node:|ext:)/.test(line))
  return { status: 'error', error: { type: name, message: plain(message), traceback: `${plain(lines.join('\n'))}\n` } }
}

async function run({ code, name, args, parameters, env, paths, file = 'tool.ts' }: Job): Promise<object> {
  const directory = mkdtempSync(join(tmpdir(), 'tool-'))
  try {
    Object.assign(environment, env)
    for (const path of paths) symlinkSync(join(path, 'node_modules'), join(directory, 'node_modules'))
    writeFileSync(join(directory, file), code)
    const module = await import(pathToFileURL(join(directory, file)).href)
    if (name === undefined) return returned(await module.default)
    if (typeof module[name] !== 'function') throw new ReferenceError(`the source exports no function ${name}`)
    const values = parameters ? parameters.map((parameter) => args[parameter]) : Object.values(args)
    return returned(await module[name](...values))
  } catch (error) {
    return thrown(error, directory)
  }
}

function serve(channel: Socket): void {
  const parts: Buffer[] = []
  channel.on('data', async (part: Buffer) => {
    parts.push(part)
    if (!part.includes('\n')) return
    const job: Job = JSON.parse(Buffer.concat(parts).toString())
    const result = await run(job)
    channel.end(`${job.nonce}${JSON.stringify(result)}\n`, () => exit(0))
  })
  channel.write('ready\n')
}

serve(new Socket({ fd: 3 }))
