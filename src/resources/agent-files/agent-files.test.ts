import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
const REAL = resolve(import.meta.dirname, '../../../../shared/data/agent-files')
test.each(readdirSync(REAL))('%s', async (name) => {
  const form = new FormData()
  form.append('file', new Blob([readFileSync(join(REAL, name))]), name)
  const r = await server.alice.post('/v1/agents/import', form)
  console.log(name, r.status, JSON.stringify(r.body).slice(0, 1500))
  const e = await server.alice.get(`/v1/agents/${r.body.agent_ids[0]}/export`)
  console.log(e.status, JSON.stringify(e.body).slice(0, 300))
})
