import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer()

const OWN = { agent_type: 'svc_v1_agent', tool_type: 'svc_core', cloud_endpoint: 'x', none: null }

describe('the Letta surface', () => {
  test('shows agents in the vendor’s names, and the neutral surface shows them in neutral names', async () => {
    const { alice, bob } = server
    const made = await alice.post('/letta/v1/agents/', {
      name: 'svc_v1_agent',
      agent_type: 'memgpt_v2_agent',
      metadata: OWN,
      system: '"agent_type":"svc_v1_agent"',
      embedding_config: {
        embedding_model: 'text-embedding-3-small',
        embedding_endpoint_type: 'azure',
        embedding_dim: 1536,
        azure_endpoint: 'https://example.com',
      },
    })
    expect(made).toMatchObject({
      status: 200,
      body: { agent_type: 'memgpt_v2_agent', memory: { agent_type: 'memgpt_v2_agent' }, name: 'svc_v1_agent' },
    })
    const { id, tools } = made.body
    expect(tools.map((tool: { tool_type: string }) => tool.tool_type)).toContain('letta_core')
    const all = (await alice.post('/letta/v1/tools/add-base-tools')).body
    for (const { tags, tool_type } of [...tools, ...all]) expect(tags).toEqual([tool_type])
    const found = await alice.post('/letta/v1/tools/search', { tags: ['letta_core'] })
    expect(found.body.map(({ tool }: { tool: { tags: string[] } }) => tool.tags)).toContainEqual(['letta_core'])
    expect((await alice.post('/v1/tools/search', { tags: ['letta_core'] })).body).toEqual([])
    const { body: neutral } = await alice.get(`/v1/agents/${id}`)
    expect(neutral).toMatchObject({
      agent_type: 'mem_v2_agent',
      embedding_config: { cloud_endpoint: 'https://example.com' },
      metadata: OWN,
    })
    const vendor = await alice.get(`/letta/v1/agents/${id}`)
    expect(vendor.body).toMatchObject({
      agent_type: 'memgpt_v2_agent',
      memory: { agent_type: 'memgpt_v2_agent' },
      embedding_config: { azure_endpoint: 'https://example.com' },
      metadata: OWN,
      system: '"agent_type":"svc_v1_agent"',
    })
    expect((await alice.get('/letta/v1/agents/')).body).toEqual([vendor.body])
    expect((await bob.get(`/letta/v1/agents/${id}`)).status).toBe(404)
  })

  test('returns embedding configurations in the vendor’s names, at any depth', async () => {
    const { alice } = server
    const embedding_config = {
      embedding_model: 'm',
      embedding_endpoint_type: 'azure',
      embedding_dim: 3,
      azure_deployment: 'a',
      azure_endpoint: 'https://example.com/"cloud_endpoint": "x"}',
      azure_version: '2',
    }
    const made = await alice.post('/letta/v1/archives/', { name: 'Azure', embedding_config })
    expect(made.body.embedding_config).toMatchObject(embedding_config)
    expect(made.body.embedding_config).not.toHaveProperty('cloud_endpoint')
    expect((await alice.get(`/letta/v1/archives/${made.body.id}`)).body).toEqual(made.body)
    expect((await alice.get('/letta/v1/archives/?name=Azure')).body).toEqual([made.body])
    const folder = await alice.post('/letta/v1/folders/', { name: 'Azure', embedding_config, metadata: OWN })
    const agent = await alice.post('/letta/v1/agents/', { name: 'Holder', folder_ids: [folder.body.id] })
    expect(agent.body.sources).toMatchObject([{ embedding_config, metadata: OWN }])
    const [listed] = (await alice.get('/letta/v1/agents/?name=Holder&include=agent.sources&include=agent.tools')).body
    expect(listed.sources).toMatchObject([{ embedding_config, metadata: OWN }])
    expect(listed.tools.map((tool: { tool_type: string }) => tool.tool_type)).toContain('letta_files_core')
    expect((await alice.get(`/v1/archives/${made.body.id}`)).body.embedding_config).toHaveProperty('cloud_version', '2')
  })

  test('ignores parameters and keys it does not know, at any depth', async () => {
    const { alice } = server
    const made = await alice.post('/letta/v1/archives/', {
      name: 'Papers',
      colour: 'red',
      embedding_config: {
        embedding_model: 'm',
        embedding_endpoint_type: 'openai',
        embedding_dim: 3,
        colour: 'red',
      },
    })
    expect(made.status).toBe(200)
    expect(made.body.embedding_config).not.toHaveProperty('colour')
    expect((await alice.get('/letta/v1/archives/?colour=red&name=Papers')).body).toEqual([made.body])
    expect((await alice.get('/v1/archives/?colour=red')).status).toBe(422)
  })

  test('ignores unknown fields of a form; the neutral surface reports them', async () => {
    const { alice, bob } = server
    const form = () => {
      const parts = new FormData()
      parts.append('skip_tools', '1')
      parts.append('logo', new Blob([new Uint8Array([0xff, 0xfe, 0])]), 'logo.png')
      for (const name of ['note', 'note[]']) parts.append(name, 'a\0b')
      parts.append('name', 'From a form')
      parts.append('file', new Blob([JSON.stringify({ agents: [{ id: 'agent-0', name: 'Filed' }] })]), 'a.af')
      return parts
    }
    const made = await alice.post('/letta/v1/agents/import', form())
    expect([made.status, made.body.agent_ids?.length]).toEqual([200, 1])
    const [id] = made.body.agent_ids
    expect((await alice.get(`/v1/agents/${id}`)).body.name).toBe('From a form')
    expect((await bob.get(`/letta/v1/agents/${id}`)).status).toBe(404)
    const refused = new FormData()
    refused.append('skip_tools', '1')
    refused.append('file', new Blob(['{}']), 'a.af')
    expect((await alice.post('/v1/agents/import', refused)).body.errors).toEqual([
      { in: 'body', field: 'skip_tools', message: 'is not a known name here' },
    ])
    // Known fields are validated.
    refused.append('strip_messages', 'perhaps')
    expect((await alice.post('/letta/v1/agents/import', refused)).body.errors).toEqual([
      { in: 'body', field: 'strip_messages', message: 'must be true or false' },
    ])
  })

  test('takes an instant without a zone, as Python writes it, as one of UTC; the neutral one asks for the zone', async () => {
    for (const client of [server.alice, server.bob]) {
      const archive = (await client.post('/v1/archives/', { name: 'Dated' })).body
      const url = `/v1/archives/${archive.id}/passages`
      const passage = { text: 'at 2024-05-06T07:08:09', created_at: '2024-05-06T07:08:09.123456' }
      const made = await client.post(`/letta${url}`, passage)
      expect(made.body).toMatchObject({ text: passage.text, created_at: '2024-05-06T07:08:09.123Z' })
      const zoned = await client.post(`/letta${url}`, { ...passage, created_at: '2024-05-06T07:08:09+02:00' })
      expect(zoned.body.created_at).toBe('2024-05-06T05:08:09.000Z')
      for (const created_at of ['2024-05-06', 'yesterday']) {
        expect((await client.post(`/letta${url}`, { ...passage, created_at })).status).toBe(422)
      }
      expect((await client.post(url, passage)).status).toBe(422)
    }
  })

  test('takes a null at the top of a patch as nothing to change; the neutral one clears', async () => {
    const { alice } = server
    const { body: block } = await alice.post('/v1/blocks/', {
      label: 'human',
      value: 'x',
      description: 'who',
      metadata: OWN,
    })
    const kept = await alice.patch(`/letta/v1/blocks/${block.id}`, { description: null, value: 'y' })
    expect(kept.body).toMatchObject({ description: 'who', value: 'y', metadata: OWN })
    const cleared = await alice.patch(`/v1/blocks/${block.id}`, { description: null })
    expect(cleared.body).not.toHaveProperty('description')
  })

  test('takes ids and values of enumerations in one parameter, with commas; names keep theirs', async () => {
    const { alice } = server
    const names = async (query: string) => {
      const { status, body } = await alice.get(`/letta/v1/tools/?limit=200&${query}`)
      return [status, body.map?.(({ name }: { name: string }) => name).toSorted()]
    }
    const repeated = 'tool_types=letta_memory_core&tool_types=letta_core'
    expect(await names('tool_types=letta_memory_core,letta_core')).toEqual(await names(repeated))
    const [one, two] = (await alice.get(`/letta/v1/tools/?${repeated}`)).body
    expect(await names(`tool_ids=${one.id}%2C${two.id}`)).toEqual([200, [one.name, two.name].toSorted()])
    expect(await names(`names=${one.name},${two.name}`)).toEqual([200, []])
    expect((await alice.get('/letta/v1/tools/?tool_types=letta_core,other')).status).toBe(422)
    expect((await alice.get('/v1/tools/?tool_types=svc_core,svc_memory_core')).status).toBe(422)
  })

  test('lowers a limit to the maximum, in queries and searches; the neutral surface refuses it', async () => {
    const { alice, bob } = server
    const made = await alice.post('/v1/archives/', { name: 'Limited' })
    for (const path of ['/v1/archives/', `/v1/archives/${made.body.id}/agents`, '/v1/tools/', '/v1/tags/']) {
      expect([path, (await alice.get(`/letta${path}?limit=10000`)).status]).toEqual([path, 200])
      expect([path, (await alice.get(`${path}?limit=10000`)).status]).toEqual([path, 422])
    }
    expect((await bob.get('/letta/v1/tools/?limit=99999999999999999999')).body.length).toBeGreaterThan(0)
    expect((await bob.get('/letta/v1/tools/?limit=1e9')).status).toBe(422)
    for (const path of ['/v1/tools/search', '/v1/passages/search']) {
      const body = { query: 'x', limit: 10_000, ...(path.includes('passages') && { archive_id: made.body.id }) }
      expect([path, (await alice.post(`/letta${path}`, body)).status]).toEqual([path, 200])
      expect([path, (await alice.post(path, body)).status]).toEqual([path, 422])
    }
  })

  test('is hinted at where a request in its names reaches the neutral surface', async () => {
    const { alice } = server
    const hint = (name: string) => `"${name}" is a name of the Letta API, whose clients use the base URL of this server`
    const config = { embedding_model: 'm', embedding_endpoint_type: 'azure', embedding_dim: 3, azure_version: '2' }
    const requests: [string, object | undefined, string][] = [
      ['/v1/agents/', { agent_type: 'letta_v1_agent' }, 'letta_v1_agent'],
      ['/v1/archives/', { name: 'Azure', embedding_config: config }, 'azure_version'],
      ['/v1/tools/?tool_types=letta_core', undefined, 'letta_core'],
      ['/v1/tools/?return_only_letta_tools=true', undefined, 'return_only_letta_tools'],
    ]
    for (const [path, body, name] of requests) {
      const refused = await alice.call(body ? 'POST' : 'GET', path, body)
      expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining(hint(name)) } })
      expect((await alice.call(body ? 'POST' : 'GET', `/letta${path}`, body)).status).toBe(200)
    }
    const other = await alice.post('/v1/agents/', { agent_type: 'constructor' })
    expect(other.body.message).not.toContain('Letta')
    expect((await alice.post('/letta/v1/agents/', { agent_type: 'other' })).body.message).not.toContain('Letta')
  })

  test('filters by the vendor’s names, and links to its own next page', async () => {
    const { alice } = server
    const { body, headers } = await alice.get(
      '/letta/v1/tools/?limit=2&tool_types=letta_memory_core&tool_types=letta_core&return_only_letta_tools=true',
    )
    expect(body).toHaveLength(2)
    for (const tool of body) expect(['letta_core', 'letta_memory_core']).toContain(tool.tool_type)
    const next = /<([^>]+)>; rel="next"/.exec(headers.link as string)![1]!
    expect(next).toMatch(/^\/letta\/v1\/tools\/\?/)
    const second = (await alice.get(next)).body
    expect(second).toHaveLength(2)
    expect(second.map((tool: { id: string }) => tool.id)).not.toContain(body[0].id)
  })
})
