import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { refused, useLetta } from './client.ts'

const server = useLetta()

const hostname = 'https://app.example.com'

describe('access tokens of the SDK', () => {
  test('are created, listed page by page, used by the SDK in a web page, and deleted', async () => {
    const { alice, bob, client } = server
    const [one, two] = [await alice.agents.create({ name: 'One' }), await alice.agents.create({ name: 'Two' })]
    const policy = [{ type: 'agent', id: one.id, access: ['read_agent', 'write_agent'] }] as const
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const body = { hostname, policy: policy.map(({ access, ...rest }) => ({ ...rest, access: [...access] })) }
    const made = await alice.accessTokens.create({ ...body, expires_at })
    expect(made).toEqual({
      token: expect.stringMatching(/^cairn_client_/),
      hostname,
      expiresAt: expires_at,
      policy: { version: '1', data: policy },
    })
    await alice.accessTokens.create({ hostname, policy: [{ type: 'agent', id: two.id, access: ['read_agent'] }] })

    const page = await alice.accessTokens.list({ limit: 1 })
    expect([page.tokens.length, page.hasNextPage]).toEqual([1, true])
    const rest = await alice.accessTokens.list({ limit: 1, offset: 1 })
    expect([rest.tokens.length, rest.hasNextPage]).toEqual([1, false])
    const { tokens } = await alice.accessTokens.list({ agentId: one.id })
    expect(tokens).toEqual([{ ...made, token: expect.stringMatching(/^access_token-/) }])
    expect(await bob.accessTokens.list()).toEqual({ tokens: [], hasNextPage: false })

    const inPage = client(made.token).withOptions({ defaultHeaders: { Origin: hostname } })
    expect(await inPage.agents.retrieve(one.id)).toMatchObject({ name: 'One', agent_type: one.agent_type })
    expect(await inPage.agents.update(one.id, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' })
    await refused(inPage.agents.retrieve(two.id), Letta.PermissionDeniedError, /does not name this agent/)
    await refused(inPage.agents.list(), Letta.PermissionDeniedError, /does not reach/)
    await refused(client(made.token).agents.retrieve(one.id), Letta.PermissionDeniedError, /hostname/)

    await refused(bob.accessTokens.create(body), Letta.NotFoundError, one.id)
    await refused(bob.accessTokens.delete(made.token), Letta.NotFoundError, /token/)
    const { response } = await alice.accessTokens.delete(made.token).withResponse()
    expect(response.status).toBe(204)
    await refused(inPage.agents.retrieve(one.id), Letta.AuthenticationError, /key/)
    await alice.accessTokens.delete((await alice.accessTokens.list()).tokens[0]!.token, { body: {} })
    expect((await alice.accessTokens.list()).tokens).toEqual([])
  })
})
