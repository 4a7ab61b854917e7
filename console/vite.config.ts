import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server that `npm run dev` sends requests to. */
const SERVER = process.env.CAIRN_BASE_URL ?? 'http://localhost:8283'

export default defineConfig(({ command }) => ({
  // Built files are found relative to <base> in index.html, so that the console also works below another path.
  base: command === 'build' ? './' : '/console/',
  plugins: [react(), tailwindcss()],
  // The content security policy permits no data: URLs of fonts and scripts.
  build: { assetsInlineLimit: 0, target: 'es2023', chunkSizeWarningLimit: 1000 },
  server: { proxy: { '/v1': SERVER, '/openapi.json': SERVER, '/console/sign-in': SERVER } },
}))
