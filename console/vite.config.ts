import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The server that `npm run dev` sends requests to. */
const SERVER = process.env.CAIRN_BASE_URL ?? 'http://localhost:8283'

const COMPRESSIONS = { br: promisify(brotliCompress), gz: promisify(gzip) }

/** Writes each script and stylesheet compressed too, for a server that sends the form that a browser takes. */
const compressed = (): Plugin => ({
  name: 'compressed',
  async writeBundle({ dir }, bundle) {
    const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
    const files = names.flatMap((name) =>
      Object.entries(COMPRESSIONS).map((form) => [join(dir!, name), ...form] as const),
    )
    await Promise.all(
      files.map(async ([path, ending, compress]) =>
        writeFile(`${path}.${ending}`, await compress(await readFile(path))),
      ),
    )
  },
})

export default defineConfig(({ command }) => {
  // Whoever builds the console, as a test does, builds it for users.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    // Built files are found relative to <base> in index.html, so that the console also works below another path.
    base: command === 'build' ? './' : '/console/',
    plugins: [react(), tailwindcss(), compressed()],
    // The content security policy permits no data: URLs of fonts and scripts.
    build: { assetsInlineLimit: 0, target: 'es2023', chunkSizeWarningLimit: 1000 },
    server: { proxy: { '/v1': SERVER, '/openapi.json': SERVER, '/console/sign-in': SERVER } },
  }
})
