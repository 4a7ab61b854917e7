import * as module from 'node:module'

/** Loaded before anything else (`node --import`), by whichever Node there is. */

/**
 * Bounds of what glibc holds of freed memory, in bytes. Without them they grow with the largest block that was ever freed, and
 * the memory of large requests stays with the process. glibc reads them when a process begins.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `Cairn runs on Node 24 or newer, and this is Node ${process.versions.node}. \`npm ci\` brings Node 24 along for Linux, ` +
      'macOS and Windows (x64; Linux arm64, too), unless optional dependencies are left out; elsewhere, install it from nodejs.org.',
  )
  process.exit(1)
}

if (process.platform === 'linux' && !Object.keys(ALLOCATOR).some((name) => name in process.env)) {
  // The same process begins again: supervisors go on watching it.
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    ...ALLOCATOR,
  })
}

// A warm start then neither strips types nor compiles anything again.
module.enableCompileCache()
