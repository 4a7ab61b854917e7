import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Client, Transport } from '@modelcontextprotocol/client'
import { readLines } from '../sandbox/capture.ts'
import { LIMITS, MAX_RESULT } from '../sandbox/sandbox.ts'
import { type Command, closeOf, killGroup, spawnProgram } from '../sandbox/spawn.ts'
import { watchMemory } from '../sandbox/watch-memory.ts'
import { asMcpError, McpError } from './mcp-error.ts'

/** The milliseconds for a start, which may fetch the program, and for the question of its era. */
const START_MS = 60_000
const PROBE_MS = 10_000

/** The milliseconds for the end of a program whose input has ended, and the interval between two looks at its memory. */
const END_MS = 2_000
const LOOK_MS = 1_000

/** The bytes beyond which a program is ended that writes without being asked. */
const FLOOD = 8 * MAX_RESULT

/** The last characters that a program writes to stderr. */
const TAIL = 2_000

/** A program that is connected to. */
export interface StartedProgram {
  client: Client
  /** Lets the program end, and resolves once it is gone. */
  stop(): Promise<void>
}

interface Start {
  command: Command
  version: string
  /** Called when a started program has ended. */
  onEnd(error: McpError): void
  /** Called with the end of the stderr of a program that has ended by itself. */
  log(stderr: string): void
}

type Library = typeof import('@modelcontextprotocol/client')

/** The messages of a program: one a line. What isn't a message is passed over. */
function transportOf(
  { deserializeMessage, serializeMessage }: Library,
  child: ChildProcess,
  end: (why: string) => void,
) {
  const [input, output] = [child.stdin!, child.stdout!]
  let unasked = 0
  const transport: Transport & { pid: number | undefined; stderr: null } = {
    // The library knows programs by these.
    pid: child.pid,
    stderr: null,
    async start() {
      const readLine = (line: string) => {
        unasked += line.length
        if (unasked > FLOOD) return end('it writes too much')
        try {
          transport.onmessage?.(deserializeMessage(line))
        } catch {
          // Programs also print texts.
        }
      }
      readLines(output, readLine, () => end(`it writes more than ${MAX_RESULT} bytes in a line`))
      child.once('close', () => transport.onclose?.())
    },
    async send(message) {
      unasked = 0
      if (!input.write(serializeMessage(message))) await Promise.race([once(input, 'drain'), once(child, 'close')])
    },
    close: async () => void input.end(),
  }
  return transport
}

function tailOf(child: ChildProcess): () => string {
  let tail = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-TAIL)
  })
  return () => tail
}

/**
 * Starts an MCP server that is a program, and connects to it: of either era. A program of the older era may end at the question
 * of the newer one, and is started again. Rejects with an McpError.
 */
export async function startProgram(start: Start, era: 'auto' | 'legacy' = 'auto'): Promise<StartedProgram> {
  const library = await import('@modelcontextprotocol/client')
  const child = spawnProgram(start.command, 'stdin')
  for (const stream of child.stdio) stream?.on('error', () => {})
  const stderr = tailOf(child)
  const failed = Promise.withResolvers<never>()
  let state: 'starts' | 'started' | 'stops' = 'starts'
  let reason: string | undefined
  const end = (why: string) => {
    reason ??= `the program was ended: ${why}`
    killGroup(child)
  }
  const stopWatching = watchMemory(child.pid ?? 0, LIMITS.memory, () => end('it takes too much memory'), LOOK_MS)
  const closed = closeOf(child).then(() => {
    stopWatching()
    const error = new McpError('unreachable', reason ?? 'the program has ended')
    failed.reject(error)
    if (state !== 'stops' && !(state === 'starts' && era === 'auto')) start.log(stderr())
    if (state === 'started') start.onEnd(error)
  })
  const stop = () => {
    state = 'stops'
    child.stdin!.end()
    const timer = setTimeout(killGroup, END_MS, child)
    return closed.finally(() => clearTimeout(timer))
  }
  const versionNegotiation = { mode: era, probe: { timeoutMs: PROBE_MS } } as const
  const client = new library.Client({ name: 'cairn', version: start.version }, { versionNegotiation })
  try {
    const transport = transportOf(library, child, end)
    await Promise.race([client.connect(transport, { timeout: START_MS }), failed.promise])
    state = 'started'
    return { client, stop }
  } catch (error) {
    const hasEnded = child.exitCode !== null && reason === undefined
    await stop()
    if (hasEnded && era === 'auto') return startProgram(start, 'legacy')
    throw await asMcpError(error)
  }
}
