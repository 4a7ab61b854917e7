import * as module from 'node:module'

// Loaded before anything else (`node --import`), by whichever Node there is: one too old for the rest gets told so here.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `Cairn runs on Node 24 or newer, and this is Node ${process.versions.node}. \`npm ci\` brings Node 24 along for Linux, ` +
      'macOS and Windows (x64; Linux arm64, too), unless optional dependencies are left out; elsewhere, install it from nodejs.org.',
  )
  process.exit(1)
}

// A warm start then neither strips types nor compiles anything again.
module.enableCompileCache()
