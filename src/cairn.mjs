#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The command `cairn`, which any Node can begin: it continues in Node 24, with the flags and variables of a server. */

/** Flags of V8 that give memory back: without them a server under load takes twice as much. */
const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=70', '--disable-warning=ExperimentalWarning']

const ENVIRONMENT = {
  // Bounds of what glibc holds of freed memory, in bytes. Without them they grow with the largest block that was ever freed,
  // and the memory of large requests stays with the process. glibc reads them when a process begins.
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  // A warm start then neither strips types nor compiles anything again.
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
}

/** The path of Node 24 or newer: this one, or else that of the npm package for this platform. */
function findNode() {
  const { platform, arch, execPath, versions } = process
  if (Number.parseInt(versions.node, 10) >= 24) return execPath
  const windows = platform === 'win32'
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${windows ? 'win' : platform}-${arch}/package.json`)
    return join(dirname(manifest), 'bin', windows ? 'node.exe' : 'node')
  } catch {
    console.error(
      `Cairn runs on Node 24 or newer, and this is Node ${versions.node}. The installation brings Node 24 along for Linux, ` +
        'macOS and Windows (x64; Linux arm64, too), unless optional dependencies are left out; elsewhere, install it from nodejs.org.',
    )
    process.exit(1)
  }
}

/** Runs a program instead of this process, or, where a system or an old Node can't, as its child. */
function become(file, args, env) {
  if (process.execve && process.platform !== 'win32') process.execve(file, [file, ...args], env)
  const child = spawn(file, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm passes a signal to its shell, which doesn't pass it on.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill(), 250).unref()
  child.once('error', ({ message }) => {
    console.error(message)
    process.exit(1)
  })
  child.once('exit', (code) => process.exit(code ?? 1))
}

const args = process.argv.slice(2)
// Without a command it serves.
const program = ['', 'serve'].includes(args.join(' ')) ? './main.ts' : './cli/cairn.ts'
become(findNode(), [...process.execArgv, ...FLAGS, fileURLToPath(new URL(program, import.meta.url)), ...args], {
  ...ENVIRONMENT,
  ...process.env,
})
