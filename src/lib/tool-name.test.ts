import { expect, test } from 'vitest'
import { useTestServer } from '../../test/server.ts'
import { cleanToolName } from './tool-name.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

test.each([
  [64, 200],
  [65, 422],
])('a tool of any kind may have a name of %i characters: %i', async (length, status) => {
  const { alice } = server
  const name = 'x'.repeat(length)
  const parameters = { type: 'object', properties: {} }
  const { id } = (await alice.post('/v1/agents/', { name: `Agent ${length}` })).body
  const tool = { source_type: 'python', source_code: `def ${name}():\n    """Waits."""` }
  expect((await alice.post('/v1/tools/', tool)).status).toBe(status)
  const ofClient = { input: 'Hello', client_tools: [{ name, parameters }] }
  expect((await alice.post(`/v1/agents/${id}/messages`, ofClient)).status).toBe(status)
  const chat = {
    model: id,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ type: 'function', function: { name } }],
  }
  expect((await alice.post('/v1/chat/completions', chat)).status).toBe(status)
})

test.each([
  ['repo/read.file', 'repo_read_file'],
  ['é', '_'],
  ['', ''],
  ['x'.repeat(70), 'x'.repeat(64)],
])('the name %j of another program becomes %j', (name, clean) => {
  expect(cleanToolName(name)).toBe(clean)
})
