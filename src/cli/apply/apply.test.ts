import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useCli } from '../../../test/cli.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const cli = useCli(server)

const write = (text: string) => writeFileSync(join(cli.directory, 'agents.yaml'), text)
const run = (command: string, ...options: string[]) => cli.cairn([command, '-f', 'agents.yaml', ...options])
const agentOf = async (name: string, client = server.alice) =>
  (await client.get(`/v1/agents/?name=${name}&include=agent.blocks&include=agent.tags&include=agent.tools`)).body[0]

const ADA = `agents:
  - name: Ada
    description: Knows the house.
    tags: [home]
    metadata: {team: {size: 2}}
    tools: [memory_insert, conversation_search]
    tool_rules: [{tool_name: memory_insert, type: requires_approval}]
    blocks:
      - label: human
        value: |-
          Likes tea.
          Lives in Oslo.
`

beforeAll(() => write(ADA))

test('a file creates its agents once they are agreed to; the same file a second time changes nothing', async () => {
  expect(await run('apply')).toMatchObject({ code: 2, stderr: expect.stringContaining('+ agent Ada') })
  expect(await agentOf('Ada')).toBeUndefined()
  expect((await run('diff')).code).toBe(3)
  const session = cli.atTerminal(['apply', '-f', 'agents.yaml'])
  await session.until('[y/N] ')
  session.type('y\r')
  expect(await session.exited).toBe(0)
  const ada = await agentOf('Ada')
  expect(ada).toMatchObject({ description: 'Knows the house.', tags: ['home'], metadata: { team: { size: 2 } } })
  expect(ada.tools.map(({ name }: { name: string }) => name).sort()).toEqual(['conversation_search', 'memory_insert'])
  expect(await run('apply')).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  expect((await run('diff')).code).toBe(0)
  expect((await agentOf('Ada')).updated_at).toBe(ada.updated_at)
  expect(await agentOf('Ada', server.bob)).toBeUndefined()
})

test('changes are shown first, and nothing that the file does not name is removed unless it is pruned', async () => {
  const { id } = await agentOf('Ada')
  await server.alice.patch(`/v1/agents/${id}`, { tags: ['home', 'extra'], metadata: { team: { size: 2 }, own: true } })
  const block = (await server.alice.post('/v1/blocks/', { label: 'extra', value: 'Not in the file.' })).body
  await server.alice.patch(`/v1/agents/${id}/core-memory/blocks/attach/${block.id}`)
  write(
    ADA.replace('the house', 'the garden')
      .replace('size: 2', 'size: 3')
      .replace('Lives in Oslo.', 'Lives in Bergen.')
      .replace('[memory_insert, conversation_search]', '[memory_insert, memory_replace]')
      .concat('      - {label: notes, value: New.}\n'),
  )
  const { stdout } = await run('diff')
  for (const text of [
    'Knows the [-house-]{+garden+}.',
    '- Lives in Oslo.',
    '+ Lives in Bergen.',
    '+ tool memory_replace',
    '+ block notes',
  ]) {
    expect(stdout).toContain(text)
  }
  expect((await run('apply', '--yes')).code).toBe(0)
  const labels = (agent: { blocks: { label: string }[] }) => agent.blocks.map(({ label }) => label).sort()
  const changed = await agentOf('Ada')
  expect(changed).toMatchObject({ id, description: 'Knows the garden.', metadata: { team: { size: 3 }, own: true } })
  expect([changed.tags, labels(changed), changed.tools]).toEqual([
    ['home', 'extra'],
    ['extra', 'human', 'notes'],
    expect.objectContaining({ length: 3 }),
  ])
  expect((await run('apply')).stdout).toBe('Nothing to change.\n')

  expect((await run('diff', '--prune')).stdout).toMatch(/- tag extra.*- tool conversation_search.*- block extra/s)
  expect((await run('apply', '--yes', '--prune')).code).toBe(0)
  const pruned = await agentOf('Ada')
  expect([pruned.tags, labels(pruned), pruned.tools]).toEqual([
    ['home'],
    ['human', 'notes'],
    expect.objectContaining({ length: 2 }),
  ])
  expect((await server.alice.get(`/v1/blocks/${block.id}`)).body.value).toBe('Not in the file.')
  expect((await run('diff', '--prune')).code).toBe(0)
})

test('a block that somebody changes before the changes are agreed to is not overwritten', async () => {
  const theirs = (await agentOf('Ada')).blocks.find(({ label }: { label: string }) => label === 'human')
  write(ADA.replace('Lives in Oslo.', 'Lives in Rome.'))
  const session = cli.atTerminal(['apply', '-f', 'agents.yaml'])
  await session.until('[y/N] ')
  await server.alice.patch(`/v1/blocks/${theirs.id}`, { value: 'Lives in Turin.' })
  session.type('y\r')
  expect(await session.exited).toBe(1)
  expect(session.screen()).toContain('The block "human" of agent "Ada" was changed meanwhile, and is not overwritten.')
  expect((await server.alice.get(`/v1/blocks/${theirs.id}`)).body.value).toBe('Lives in Turin.')
  expect((await run('apply', '--yes')).code).toBe(0)
  expect((await server.alice.get(`/v1/blocks/${theirs.id}`)).body.value).toContain('Lives in Rome.')
})

test('a block that two agents share is changed once', async () => {
  const block = (await server.alice.post('/v1/blocks/', { label: 'shared', value: 'Old.' })).body
  for (const name of ['One', 'Two']) await server.alice.post('/v1/agents/', { name, block_ids: [block.id] })
  const agent = (name: string) => `  - {name: ${name}, blocks: [{label: shared, value: New.}]}\n`
  write(`agents:\n${agent('One')}${agent('Two')}`)
  expect(await run('apply', '--yes')).toMatchObject({ code: 0, stdout: 'Applied to 2 agents.\n' })
  expect((await run('diff')).code).toBe(0)
})

test('a file that `cairn get` writes describes the agents as they are, and makes their like elsewhere', async () => {
  const { stdout } = await cli.cairn(['get', 'Ada', '-o', 'yaml'])
  write(stdout)
  expect((await run('diff', '--prune')).code).toBe(0)
  expect((await cli.cairn(['apply', '-f', 'agents.yaml', '--yes'], { as: 'bob' })).code).toBe(0)
  expect((await cli.cairn(['get', 'Ada'], { as: 'bob' })).stdout).toBe(stdout)
})

test('unknown fields, wrong values and broken syntax are refused with their places, before anything changes', async () => {
  write(
    'agents:\n  - name: New\n    tgas: [x]\n    blocks:\n      - label: human\n        value: 5\n  - description: x\n',
  )
  const { code, stderr } = await run('apply', '--yes')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^agents\.yaml:3:5: agents\[0\]\.tgas is not a known name here; did you mean "tags"\?$/m)
  expect(stderr).toMatch(/^agents\.yaml:6:9: agents\[0\]\.blocks\[0\]\.value must be a string$/m)
  expect(stderr).toMatch(/^agents\.yaml:7:5: agents\[1\]\.name /m)
  expect(await agentOf('New')).toBeUndefined()
  write('agents: [')
  expect((await run('diff')).stderr).toMatch(/^agents\.yaml:1:\d+: /)
  write('agents:\n  - name: Twice\n  - name: Twice\n')
  expect((await run('diff')).stderr).toContain('agent "Twice"')
  write('agents:\n  - name: New\n    tools: [no_such_tool]\n')
  expect(await run('apply', '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('no_such_tool') })
})
