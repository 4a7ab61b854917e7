import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const make = async (tool_rules: object[]) => {
  const reply = await server.alice.post('/v1/agents/', { include_base_tools: false, tool_rules })
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  return reply.body
}

/** The rules of an agent after a change to these. */
const changed = async (tool_rules: object[]) => {
  const { id } = await make([])
  const { body } = await server.alice.patch(`/v1/agents/${id}`, { tool_rules })
  expect((await server.alice.get(`/v1/agents/${id}`)).body.tool_rules).toEqual(body.tool_rules)
  return body.tool_rules
}

describe('a tool rule without a type', () => {
  const FITTING: [type: string, fields: object][] = [
    ['run_first', { args: { message: 'hi' } }],
    ['constrain_child_tools', { children: ['send_message'], child_arg_nodes: [{ name: 'send_message' }] }],
    ['conditional', { child_output_mapping: { yes: 'send_message' }, default_child: null }],
    ['max_count_per_step', { max_count_limit: 2, prompt_template: null }],
  ]

  test.each(FITTING)('is a %s by its fields %j, wherever it is given', async (type, fields) => {
    const given = { tool_name: 'send_message', ...fields }
    const { child_arg_nodes, default_child, prompt_template, ...rest } = given as Record<string, unknown>
    const stored = { type, ...rest, ...(child_arg_nodes !== undefined && { child_arg_nodes }) }
    const made = await make([given])
    expect(made.tool_rules).toEqual([stored])
    expect(await changed([given, { ...given, type }])).toEqual([stored])
    const { alice } = server
    const file = (await alice.get(`/v1/agents/${made.id}/export`)).body
    for (const rule of file.agents[0].tool_rules) delete rule.type
    const form = new FormData()
    form.append('file', new Blob([JSON.stringify(file)]), 'a.af')
    const imported = await alice.post('/letta/v1/agents/import', form)
    expect((await alice.get(`/v1/agents/${imported.body.agent_ids[0]}`)).body.tool_rules).toEqual([stored])
  })

  test('is a 422 where its fields fit several types, and names them', async () => {
    const tool_rules = [
      { tool_name: 'send_message' },
      { type: 'exit_loop', tool_name: 'send_message' },
      { tool_name: 'send_message', children: ['send_message'] },
    ]
    const fields = ['tool_rules[0].type', 'tool_rules[2].type']
    const { alice } = server
    const { id } = await make([])
    for (const refused of [
      await alice.post('/v1/agents/', { tool_rules }),
      await alice.patch(`/letta/v1/agents/${id}`, { tool_rules }),
    ]) {
      expect([refused.status, refused.body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, fields])
      expect(refused.body.errors[1].message).toContain('constrain_child_tools, parent_last_tool')
    }
    for (const fields of [{ children: [], args: {} }, { surprise: 1 }, { max_count_limit: 'two' }]) {
      expect((await alice.post('/v1/agents/', { tool_rules: [{ tool_name: 'x', ...fields }] })).status).toBe(422)
    }
  })
})

test('equal tool rules are one, whatever the order of their keys', async () => {
  const rule = { type: 'run_first', tool_name: 'send_message', args: { a: 1, b: { c: null, d: 2 } } }
  const same = {
    args: { b: { d: 2, c: null }, a: 1 },
    prompt_template: null,
    tool_name: 'send_message',
    type: 'run_first',
  }
  const other = { ...rule, args: { a: 1, b: { d: 2 } } }
  expect((await make([rule, same, other, rule])).tool_rules).toEqual([rule, other])
  expect(await changed([other, rule, same])).toEqual([other, rule])
})
