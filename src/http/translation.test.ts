import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIELDS, VALUES } from '../lib/vendor-names.ts'
import { shapes } from '../resources/shapes.ts'
import { type Resolve, type Schema, toNeutralNames, toVendorNames } from './translation.ts'

const byId = new Map(shapes.map((shape) => [`${(shape as { $id?: string }).$id}#`, shape as Schema]))
const resolve: Resolve = (ref) => byId.get(ref)!
const agent = byId.get('Agent#')!
const tool = byId.get('Tool#')!

const names = [...Object.keys(VALUES), ...Object.values(VALUES), ...Object.keys(FIELDS), ...Object.values(FIELDS)]

/** JSON of a caller's own that resembles the API's names. */
const own = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...names, 'agent_type', '"agent_type":"mem_agent"', '"embedding_config":{"cloud_endpoint": "x"}'),
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'agent_type', 'tool_type', 'embedding_config', 'a'), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

describe('names on the Letta surface', () => {
  test('are the vendor’s for types of agents and tools and for fields of embedding configurations', () => {
    const encoded = toVendorNames(
      agent,
      {
        agent_type: 'svc_v1_agent',
        memory: { agent_type: 'mem_v2_agent', blocks: [] },
        tools: [{ id: 'tool-1', tool_type: 'svc_memory_core' }],
        embedding_config: { embedding_model: 'm', embedding_dim: 1, cloud_endpoint: 'https://a', cloud_version: '2' },
      },
      resolve,
    )
    expect(encoded).toMatchObject({
      agent_type: 'letta_v1_agent',
      memory: { agent_type: 'memgpt_v2_agent', blocks: [] },
      tools: [{ id: 'tool-1', tool_type: 'letta_memory_core' }],
      embedding_config: { embedding_model: 'm', embedding_dim: 1, azure_endpoint: 'https://a', azure_version: '2' },
    })
    expect(toNeutralNames(tool, { id: 't', tool_type: 'letta_core' }, resolve)).toEqual({
      id: 't',
      tool_type: 'svc_core',
    })
  })

  test('leave the caller’s own data unchanged: texts, metadata, schemas, sources', () => {
    fc.assert(
      fc.property(own, own, fc.constantFrom(...names), (metadata, schema, text) => {
        const value = { name: text, system: text, metadata, tools: [{ json_schema: schema, source_code: text }] }
        const sent = toVendorNames(agent, value, resolve) as typeof value
        const [{ json_schema, source_code }] = sent.tools as [(typeof value.tools)[0]]
        const { name, system } = sent
        expect({ name, system, metadata: sent.metadata, tools: [{ json_schema, source_code }] }).toEqual(value)
        expect(toNeutralNames(agent, value, resolve)).toEqual(value)
      }),
    )
  })

  test('stand beside every other field of a shape, null or empty, and nowhere in the caller’s own data', () => {
    const sent = toVendorNames(
      agent,
      { id: 'a', metadata: {}, embedding_config: {}, memory: { blocks: [{}] } },
      resolve,
    )
    expect(Object.keys(sent as object).sort()).toEqual(Object.keys(agent.properties!).sort())
    expect(sent).toMatchObject({
      description: null,
      tool_rules: [],
      metadata: {},
      embedding_config: { azure_endpoint: null, batch_size: null },
      memory: { blocks: [{ metadata: {}, read_only: false, template_name: null }] },
    })
    expect(sent).not.toHaveProperty('embedding_config.cloud_endpoint')
    const template = byId.get('Template#')!
    expect(toVendorNames(template, { name: 'hosted' }, resolve)).toEqual({ name: 'hosted' })
    const request = { name: 'a' }
    expect(toNeutralNames(agent, request, resolve)).toEqual(request)
  })

  test('come back as they went out', () => {
    for (const [neutral, vendor] of Object.entries(VALUES)) {
      const [shape, field] = neutral.endsWith('_agent') ? [agent, 'agent_type'] : [tool, 'tool_type']
      expect(toVendorNames(shape, { [field]: neutral }, resolve)).toMatchObject({ [field]: vendor })
      expect(toNeutralNames(shape, { [field]: vendor }, resolve)).toEqual({ [field]: neutral })
    }
  })
})
