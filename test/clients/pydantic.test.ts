import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CANT_INSTALL } from '../../src/sandbox/packages.ts'
import { startTestServer, type TestServer } from '../server.ts'

const packages = mkdtempSync(join(tmpdir(), 'cairn-pydantic-'))
// The user of sandboxes reaches it.
chmodSync(packages, 0o755)
let server: TestServer
/** Why these tests can't run here. */
let reason: string | undefined
beforeAll(async () => {
  const packageIndexes = { pip: process.env.CAIRN_PIP_INDEX, npm: undefined }
  server = await startTestServer({ packages, packageIndexes })
  const { kind, note } = await server.app.sandbox.opened()
  const tried = kind === 'none' ? note : (await run('def f(): pass', {})).tool_return
  if (kind === 'none' || tried.includes(CANT_INSTALL)) reason = tried
}, 300_000)
afterAll(async () => {
  await server.close()
  rmSync(packages, { recursive: true, force: true })
})

const MODELS = `
from pydantic import BaseModel, Field

class Item(BaseModel):
    name: str
    count: int = Field(gt=0)

class Order(BaseModel):
    items: list[Item]
    note: str | None = None

`

const run = async (source: string, args: object) => {
  const body = { source_code: MODELS + source, args, pip_requirements: [{ name: 'pydantic' }] }
  return (await server.alice.post('/v1/tools/run', body)).body
}

test('a tool gets its arguments as models of Pydantic, which validate them', async ({ skip }) => {
  if (reason) skip(reason)
  const sum = `def total(order: Order, extra: list[Item], gift: Item | None = None) -> list:
    return [sum(item.count for item in order.items + extra), isinstance(order, BaseModel), order.note, gift.name]`
  const [pen, ink] = [
    { name: 'pen', count: '2' },
    { name: 'ink', count: 3 },
  ]
  const done = await run(sum, { order: { items: [pen] }, extra: [ink], gift: ink })
  expect(done).toMatchObject({ status: 'success', tool_return: "[5, True, None, 'ink']", stderr: [] })
  const refused = await run(sum, { order: { items: [{ ...pen, count: 0 }] }, extra: [], gift: ink })
  expect(refused).toMatchObject({ status: 'error', tool_return: expect.stringContaining('greater than 0') })
})

test('a schema that Pydantic makes gives its models to a function whose source lacks them', async ({ skip }) => {
  if (reason) skip(reason)
  const made = await run(
    `import json
class Arguments(BaseModel):
    order: Order
def schema():
    return json.dumps(Arguments.model_json_schema())`,
    {},
  )
  const args_json_schema = JSON.parse(made.tool_return)
  const source_code = 'def names(order: Order) -> str:\n    return ", ".join(item.name for item in order.items)'
  const args = { order: { items: [{ name: 'pen', count: 2 }, { name: 'ink' }] } }
  const refused = (await server.alice.post('/v1/tools/run', { source_code, args_json_schema, args })).body
  expect(refused.tool_return).toContain('Item lacks count')
  const tool = (await server.alice.post('/v1/tools/', { source_code, args_json_schema })).body
  const whole = { args: { order: { items: [{ name: 'pen', count: 2 }] } } }
  const { body } = await server.alice.post(`/v1/tools/${tool.id}/run`, whole)
  expect(body).toMatchObject({ status: 'success', func_return: 'pen' })
})
