import { expect, test } from 'vitest'
import { olderSdk, pages, refused, sourceOf } from './client.ts'

const older = olderSdk()

test('a tool is made of its source, upserted, retrieved, modified and deleted', async () => {
  const { tools } = older.alice
  const made = await tools.create({
    sourceCode: sourceOf('roll'),
    tags: ['dice'],
    returnCharLimit: 100,
    defaultRequiresApproval: true,
  })
  expect(made).toMatchObject({
    name: 'roll',
    description: 'Rolls a die.',
    toolType: 'custom',
    sourceType: 'python',
    tags: ['dice'],
    returnCharLimit: 100,
    defaultRequiresApproval: true,
    jsonSchema: { name: 'roll', parameters: { properties: { sides: { type: 'integer' } }, required: ['sides'] } },
  })
  expect(await tools.retrieve(made.id!)).toEqual(made)
  const upserted = await tools.upsert({ sourceCode: sourceOf('roll'), description: 'Throws a die.' })
  expect(upserted).toMatchObject({ id: made.id, description: 'Throws a die.' })
  const changed = await tools.modify(made.id!, {
    metadata: { keepThis_key: 1 },
    tags: ['games'],
    pipRequirements: [{ name: 'numpy', version: '2.0.0' }],
    enableParallelExecution: true,
  })
  expect(changed).toMatchObject({
    id: made.id,
    metadata: { keepThis_key: 1 },
    tags: ['games'],
    enableParallelExecution: true,
  })
  expect(changed.pipRequirements).toEqual([{ name: 'numpy', version: '2.0.0' }])
  await tools.delete(made.id!)
  await refused(tools.retrieve(made.id!), 404, made.id!)
  await refused(tools.create({ sourceCode: 'def (' }), 422, 'source_code')
})

test('tools are listed and counted by every filter of the SDK, page by page', async () => {
  const { tools } = older.alice
  const make = (name: string) => tools.create({ sourceCode: sourceOf(name) })
  const [one, two, three] = [await make('alpha'), await make('beta'), await make('beta_two')]
  const all = [three.id!, two.id!, one.id!]
  const custom = { toolTypes: 'custom' }
  const listed = async (request: Parameters<typeof tools.list>[0]) => (await tools.list(request)).map(({ id }) => id)
  expect(await pages((page) => tools.list({ ...custom, ...page }))).toEqual(all)
  expect(await listed({ ...custom, order: 'asc', orderBy: 'created_at' })).toEqual([...all].reverse())
  expect(await listed({ name: 'beta' })).toEqual([two.id])
  expect(await listed({ names: ['alpha', 'beta'] })).toEqual([two.id, one.id])
  expect(await listed({ toolIds: [one.id!, three.id!] })).toEqual([three.id, one.id])
  expect(await listed({ search: 'BETA' })).toEqual([three.id, two.id])
  expect(await tools.count({ toolTypes: ['custom'] })).toBe(3)
  expect(await tools.count({ excludeLettaTools: true })).toBe(3)
  expect(await tools.count({ names: ['alpha', 'nothing'] })).toBe(1)
})

test('built-in tools have the SDK’s type names', async () => {
  const { tools } = older.alice
  const builtin = await tools.upsertBaseTools()
  expect(builtin.map(({ name }) => name)).toContain('send_message')
  expect(new Set(builtin.map(({ toolType }) => toolType?.split('_')[0]))).toEqual(new Set(['letta']))
  const own = await tools.list({ returnOnlyLettaTools: true, limit: 200 })
  expect(new Set(own.map(({ id }) => id))).toEqual(new Set(builtin.map(({ id }) => id)))
  expect(await tools.count({ returnOnlyLettaTools: true })).toBe(builtin.length)
  const core = await tools.list({ toolTypes: ['letta_core'], limit: 200 })
  expect(core.length).toBeGreaterThan(0)
  expect(new Set(core.map(({ toolType }) => toolType))).toEqual(new Set(['letta_core']))
  expect(await tools.count({ excludeToolTypes: ['letta_core'] })).toBe((await tools.count()) - core.length)
})

test('another tenant’s tool is a 404', async () => {
  const { alice, bob } = older
  const { id } = await alice.tools.create({ sourceCode: sourceOf('secret') })
  await refused(bob.tools.retrieve(id!), 404, id!)
  await refused(bob.tools.modify(id!, { description: 'mine' }), 404, id!)
  await refused(bob.tools.delete(id!), 404, id!)
  expect((await bob.tools.upsert({ sourceCode: sourceOf('secret') })).id).not.toBe(id)
  expect(await bob.tools.list({ toolIds: id! })).toEqual([])
})

test('a function runs from its source', async ({ skip }) => {
  if ((await older.server.app.sandbox.opened()).kind === 'none') skip('no sandbox on this machine')
  const run = (sourceCode: string) =>
    older.alice.tools.runToolFromSource({ sourceCode, args: { n: 20 }, envVars: { MORE: '1' } })
  expect(await run('import os\ndef f(n: int):\n    return {"n": n + int(os.environ["MORE"])}')).toMatchObject({
    status: 'success',
    toolReturn: "{'n': 21}",
  })
  const failed = await run('def f(n):\n    raise ValueError("no")')
  expect(failed).toMatchObject({ status: 'error', stderr: [expect.stringContaining('ValueError: no')] })
})
