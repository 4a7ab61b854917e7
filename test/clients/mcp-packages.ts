import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const SERVERS = '2026.8.31'
const CONFORMANCE = '0.1.16'

/** Where the programs are fetched to, and stay for the next time. */
export const MCP_FOLDER = join(tmpdir(), `cairn-mcp-${SERVERS}-${CONFORMANCE}`)

const program = (name: string) => join(MCP_FOLDER, 'node_modules/@modelcontextprotocol', name, 'dist/index.js')

/** MCP servers of others, and the suite that tests clients and servers of the protocol. */
export const EVERYTHING = program('server-everything')
export const FILESYSTEM = program('server-filesystem')
export const SUITE = program('conformance')

/** Fetches the programs, unless they are there. Returns why they can't be had; undefined when they are there. */
export async function missingMcp(): Promise<string | undefined> {
  if (existsSync(SUITE)) return undefined
  try {
    mkdirSync(MCP_FOLDER, { recursive: true })
    // The user of the sandbox reads the servers.
    chmodSync(MCP_FOLDER, 0o755)
    writeFileSync(join(MCP_FOLDER, 'package.json'), '{"private": true}')
    const packages = [
      ...['everything', 'filesystem'].map((name) => `@modelcontextprotocol/server-${name}@${SERVERS}`),
      `@modelcontextprotocol/conformance@${CONFORMANCE}`,
    ]
    const options = { cwd: MCP_FOLDER, timeout: 300_000 }
    await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], options)
    return undefined
  } catch (error) {
    rmSync(MCP_FOLDER, { recursive: true, force: true })
    return `the registry refused: ${(error as Error).message.split('\n')[0]}`
  }
}
