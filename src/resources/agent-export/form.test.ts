import { describe, expect, test } from 'vitest'
import { exported, imported, importFile, type Json } from '../../../test/agent-export.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const INCLUDES = ['secrets', 'sources'].map((name) => `include=agent.${name}`).join('&')
const agentOf = async (id: string): Promise<Json> => (await server.alice.get(`/v1/agents/${id}?${INCLUDES}`)).body

let count = 0
/** A name nothing else has. */
const fresh = (what: string) => `${what}_${++count}`

const fileOf = (agent: object) => ({ agents: [{ id: 'agent-0', name: 'Imported', ...agent }] })

describe('the form of an import', () => {
  const two = {
    agents: [
      {
        id: 'agent-0',
        name: 'One',
        source_ids: ['source-0'],
        secrets: { A: '', B: 'of the file' },
        model: 'openai/gpt-5',
      },
      { id: 'agent-1', name: 'Two', model_settings: { provider_type: 'openai', temperature: 0.5 } },
    ],
  }
  const file = () => ({ ...two, sources: [{ id: 'source-0', name: fresh('folder') }] })
  const agentsOf = (ids: string[]) => Promise.all(ids.map(agentOf))

  test('leaves names alone unless it is asked otherwise', async () => {
    const names = async (fields: Record<string, string>) =>
      (await agentsOf(await imported(server.alice, file(), fields))).map(({ name }) => name)
    expect(await names({})).toEqual(['One', 'Two'])
    expect(await names({ append_copy_suffix: 'true' })).toEqual(['One_copy', 'Two_copy'])
    expect(await names({ append_copy_suffix: 'true', name: 'Other' })).toEqual(['Other', 'Other'])
    expect(await names({ override_name: 'Older' })).toEqual(['Older', 'Older'])
  })

  test('gives another model, with no settings meant for another provider', async () => {
    const same = await agentsOf(await imported(server.alice, file(), { model: 'openai/gpt-4o' }))
    expect(same.map(({ model }) => model)).toEqual(['openai/gpt-4o', 'openai/gpt-4o'])
    expect(same[1].model_settings).toEqual({ provider_type: 'openai', temperature: 0.5 })
    const other = await agentsOf(await imported(server.alice, file(), { override_model_handle: 'anthropic/claude' }))
    expect(other[1].llm_config).toMatchObject({ model: 'claude', model_endpoint_type: 'anthropic' })
    expect(other[1].model_settings).toEqual({ provider_type: 'anthropic' })
    const given = await agentsOf(await imported(server.alice, file()))
    expect(given.map(({ model }) => model)).toEqual(['openai/gpt-5', 'openai/gpt-5-mini'])
  })

  test('gives another embedding model to agents and folders; the header goes before', async () => {
    const field = { embedding: 'openai/text-embedding-3-small' }
    const [one] = await agentsOf(await imported(server.alice, file(), field))
    expect([one.embedding, one.sources[0].embedding_config.handle]).toEqual([field.embedding, field.embedding])
    const header = { 'x-override-embedding-model': 'openai/text-embedding-3-large' }
    const { body } = await importFile(server.alice, file(), field, header)
    expect((await agentOf(body.agent_ids[0])).embedding).toBe('openai/text-embedding-3-large')
  })

  test('gives a project; the header goes before. Projects of the file stay where they are', async () => {
    const away = fileOf({ project_id: 'theirs', template_id: 'theirs', identity_ids: ['identity-0'] })
    const first = await importFile(server.alice, away)
    expect((await agentOf(first.body.agent_ids[0])).project_id).toBeUndefined()
    expect(first.body.warnings).toEqual([
      'agents[0].project_id: left out, as there is no place for it here',
      'agents[0].template_id: left out, as there is no place for it here',
      'agents[0].identity_ids: left out, as there is no place for it here',
    ])
    const [second] = await agentsOf(await imported(server.alice, file(), { project_id: 'ours' }))
    const third = await importFile(server.alice, file(), { project_id: 'ours' }, { 'x-project-id': 'mine' })
    expect([second.project_id, (await agentOf(third.body.agent_ids[0])).project_id]).toEqual(['ours', 'mine'])
  })

  test('gives secrets, which no file exported from them holds', async () => {
    const fields = { secrets: '{"A": "of the form"}', env_vars_json: '{"A": "older", "C": "also"}' }
    const [one, other] = await agentsOf(await imported(server.alice, file(), fields))
    const valuesOf = ({ secrets }: Json) => Object.fromEntries(secrets.map(({ key, value }: Json) => [key, value]))
    expect(valuesOf(one)).toEqual({ A: 'of the form', B: 'of the file', C: 'also' })
    expect(valuesOf(other)).toEqual({ A: 'of the form', C: 'also' })
    const text = JSON.stringify(await exported(server.alice, one.id))
    for (const value of ['of the form', 'of the file', 'also']) expect(text).not.toContain(value)
  })

  test('strips the messages: the agent begins with its system prompt', async () => {
    const said = fileOf({ system: 'Be brief.', messages: [{ id: 'message-0', role: 'user', content: 'Hi' }] })
    const [id] = await imported(server.alice, said, { strip_messages: 'true' })
    const { agents } = await exported(server.alice, id!)
    expect(agents[0].messages.map(({ content }: Json) => content[0].text)).toEqual(['Be brief.'])
  })
})
