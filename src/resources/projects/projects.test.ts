import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const make = async (name: string, client = server.alice) => (await client.post('/v1/projects/', { name })).body

describe('projects', () => {
  test('are made, listed newest first, found by part of their name, and deleted', async () => {
    const { alice, bob } = server
    const made = await alice.post('/v1/projects', { name: 'Crème brûlée & Co' })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^project-.{36}$/),
      name: 'Crème brûlée & Co',
      slug: 'creme-brulee-co',
    })
    const second = await make('Second_100%')
    const list = async (query: string, client = alice) => (await client.get(`/v1/projects/?${query}`)).body
    expect(await list('')).toEqual({ projects: [second, made.body], hasNextPage: false })
    expect(await list('limit=1')).toEqual({ projects: [second], hasNextPage: true })
    expect(await list('limit=1&offset=1')).toEqual({ projects: [made.body], hasNextPage: false })
    expect(await list('name=BRÛ')).toEqual({ projects: [made.body], hasNextPage: false })
    expect(await list('name=%25')).toEqual({ projects: [second], hasNextPage: false })
    expect(await list('', bob)).toEqual({ projects: [], hasNextPage: false })

    expect((await bob.delete(`/v1/projects/${second.id}`)).status).toBe(404)
    expect((await alice.delete(`/v1/projects/${second.id}`)).body).toEqual({ success: true })
    expect((await alice.delete(`/v1/projects/${second.id}`)).status).toBe(404)
  })

  test('are told apart by their slug, which another organization may have as well', async () => {
    const { alice, bob } = server
    await make('My app')
    const taken = await alice.post('/v1/projects/', { name: 'my--APP' })
    expect([taken.status, taken.headers['x-should-retry']]).toEqual([409, 'false'])
    expect((await make('My app', bob)).slug).toBe('my-app')
    const unreadable = await make('项目一')
    expect(unreadable.slug).toBe(unreadable.id)
  })

  test.each([['ab'], ['x'.repeat(51)], [5], [null]])('are refused for the name %s', async (name) => {
    expect((await server.alice.post('/v1/projects/', { name })).status).toBe(422)
  })
})

describe('the headers X-Project-Id and X-Project', () => {
  const schema = (name: string) => ({ source_code: '# none', json_schema: { name } })

  test('put a tool in a project, and keep the tools of other projects out of a list and a count', async () => {
    const { alice } = server
    const [one, two] = [await make('Tools one'), await make('Tools two')]
    const inOne = await alice.post('/v1/tools/', schema('in_one'), { 'x-project-id': one.id })
    expect(inOne.body.project_id).toBe(one.id)
    const inTwo = await alice.post('/v1/tools/', schema('in_two'), { 'x-project': two.slug })
    expect(inTwo.body.project_id).toBe(two.id)
    const inNone = await alice.post('/v1/tools/', schema('in_none'))
    expect(inNone.body).not.toHaveProperty('project_id')

    const url = '/v1/tools/?names=in_one&names=in_two&names=in_none&order=asc'
    const seen = async (headers: Record<string, string>) => {
      const { body } = await alice.get(url, headers)
      const count = (await alice.get('/v1/tools/count?names=in_one&names=in_two&names=in_none', headers)).body
      expect(count).toBe(body.length)
      return body.map(({ name }: { name: string }) => name)
    }
    expect(await seen({})).toEqual(['in_one', 'in_two', 'in_none'])
    expect(await seen({ 'x-project-id': '' })).toEqual(['in_one', 'in_two', 'in_none'])
    expect(await seen({ 'x-project-id': one.id })).toEqual(['in_one', 'in_none'])
    expect(await seen({ 'x-project': two.slug })).toEqual(['in_two', 'in_none'])
    expect(await seen({ 'x-project-id': one.id, 'x-project': two.slug })).toEqual(['in_one', 'in_none'])
  })

  test('name a project of the caller’s organization, or the request is a 404 and changes nothing', async () => {
    const { alice, bob } = server
    const his = await make('His alone', bob)
    const hers = [{ 'x-project-id': his.id }, { 'x-project': his.slug }, { 'x-project-id': 'nonsense' }]
    for (const headers of hers) {
      expect((await alice.get('/v1/tools/', headers)).status).toBe(404)
      expect((await alice.get('/v1/tools/count', headers)).status).toBe(404)
      expect((await alice.get('/v1/templates/', headers)).status).toBe(404)
      const made = await alice.post('/v1/tools/', schema('lost'), headers)
      expect([made.status, made.headers['x-should-retry']]).toEqual([404, 'false'])
    }
    expect((await alice.get('/v1/tools/count?name=lost')).body).toBe(0)
  })
})
