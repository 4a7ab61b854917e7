import { beforeEach, describe, expect, test } from 'vitest'
import { rowsOf } from '../../../test/rows.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { environmentOf } from './environment.ts'

const server = useTestServer()
const ROOT = '/v1/sandbox-config'
let url: string
beforeEach(async () => {
  const { id } = (await server.alice.post(`${ROOT}/local/default`)).body
  await server.alice.delete(`${ROOT}/${id}`)
  url = `${ROOT}/${(await server.alice.post(`${ROOT}/local/default`)).body.id}/environment-variable`
})

const variable = (id: string) => `${ROOT}/environment-variable/${id}`
const make = (key: string, value: string, client: Client = server.alice) => client.post(url, { key, value })

describe('the environment variables of sandboxes', () => {
  test('are made, listed, changed and deleted, and every tool gets them', async () => {
    const { alice, organizations } = server
    const made = await alice.post(url, { key: 'ONE', value: 'grüße "1"', description: 'First' })
    expect(made.body).toMatchObject({ key: 'ONE', value: 'grüße "1"', description: 'First' })
    await make('TWO', '2')
    const list = (await alice.get(`${url}?limit=1`)).body
    expect(list).toEqual([made.body])
    expect((await alice.get(`${url}?after=${made.body.id}`)).body).toMatchObject([{ key: 'TWO', value: '2' }])
    expect((await alice.patch(variable(made.body.id), { key: 'UN', value: 'new' })).body).toMatchObject({
      ...{ id: made.body.id, key: 'UN', value: 'new', description: 'First' },
    })
    const of = (organization: string) => environmentOf(server.scopeOf(organization), 'local')
    expect((await of(organizations.alice)).variables).toEqual({ UN: 'new', TWO: '2' })
    expect(await of(organizations.bob)).toEqual({ settings: {}, variables: {} })
    expect((await alice.delete(variable(made.body.id))).status).toBe(204)
    expect((await of(organizations.alice)).variables).toEqual({ TWO: '2' })
  })

  test('are empty for keys that may not see secrets, encrypted in the database, and not in the history', async () => {
    const { id } = (await make('TOKEN', 'hush-hush')).body
    const blind = await server.withScopes('read', 'write')
    expect((await blind.get(url)).body).toMatchObject([{ key: 'TOKEN', value: '' }])
    expect((await blind.patch(variable(id), { value: 'hush again' })).body).toMatchObject({ key: 'TOKEN', value: '' })
    expect((await make('OTHER', 'hush too', blind)).body.value).toBe('')
    const rows = await rowsOf(server.database, server.organizations.alice)
    expect(JSON.stringify(rows)).not.toContain('hush')
    expect(rows.revisions!.join()).not.toContain('value_enc')
  })

  test('have a new version where a value changes, and none where it is given again', async () => {
    const { id } = (await make('A', '1')).body
    const versionOf = async () => (await server.alice.get(variable(id))).headers.etag
    const first = await versionOf()
    await server.alice.patch(variable(id), { value: '1' })
    expect(await versionOf()).toBe(first)
    await server.alice.patch(variable(id), { value: '2' })
    expect(await versionOf()).not.toBe(first)
    expect((await server.alice.call('PATCH', variable(id), { value: '3' }, { 'if-match': first! })).status).toBe(412)
  })

  test('have keys that no other has, and that can be a variable’s', async () => {
    const { id } = (await make('A', '1')).body
    expect((await make('A', '2')).status).toBe(409)
    await make('B', '2')
    expect((await server.alice.patch(variable(id), { key: 'B' })).status).toBe(409)
    for (const key of ['', '1A', 'A B', 'A=B', 'A\u0000', 'Ä']) expect((await make(key, '1')).status).toBe(422)
  })

  test('are out of reach of another organization', async () => {
    const { bob } = server
    const { id } = (await make('A', '1')).body
    const replies = [
      bob.get(url),
      make('C', '1', bob),
      bob.patch(variable(id), { value: '2' }),
      bob.delete(variable(id)),
    ]
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})
