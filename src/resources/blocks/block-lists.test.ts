import { expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { pagesFrom } from '../../../test/walk.ts'

const server = useTestServer()

interface Made {
  id: string
  value: string
}

const make = async (client: Client, body: object): Promise<Made> =>
  (await client.post('/v1/blocks/', { label: 'human', value: '', ...body })).body

test('every filter keeps what it says, filters combine, and the count is the length of the list', async () => {
  const { alice, bob } = server
  const plain = await make(alice, { label: 'human', value: '100% sure_thing', description: 'About Ada' })
  const persona = await make(alice, { label: 'Persona/Main', value: 'I am', project_id: 'p', tags: ['a', 'b'] })
  const tagged = await make(alice, { label: 'human_2', value: '100 sure', tags: ['b', 'c'] })
  const template = await make(alice, { label: 'human', is_template: true, template_name: 'Base one', tags: ['a'] })
  const hidden = await make(alice, { label: 'human', hidden: true, value: 'sure_' })
  await make(bob, { label: 'human', value: '100% sure_thing', tags: ['a', 'b'] })
  const agent = async (...block_ids: string[]) =>
    alice.post('/v1/agents/', { name: 'A', model: 'openai/gpt-4o-mini', block_ids })
  await agent(plain.id, persona.id)
  await agent(persona.id)

  const all = [plain, persona, tagged, template, hidden]
  const names = new Map(all.map((block, n) => [block.id, ['plain', 'persona', 'tagged', 'template', 'hidden'][n]]))
  for (const [query, expected] of [
    ['', 'plain persona tagged'],
    ['show_hidden_blocks=true', 'plain persona tagged hidden'],
    ['templates_only=true', 'template'],
    ['templates_only=false', 'plain persona tagged'],
    ['label=human', 'plain'],
    ['label=Human', ''],
    ['label=human&show_hidden_blocks=true', 'plain hidden'],
    ['label_search=MAN', 'plain tagged'],
    ['label_search=_', 'tagged'],
    ['label_search=man&label=human', 'plain'],
    ['name=Base%20one&templates_only=true', 'template'],
    ['name=Base&templates_only=true', ''],
    ['name=Base%20one', 'template'],
    ['name=Base%20one&templates_only=false', ''],
    ['description_search=ada', 'plain'],
    ['value_search=SURE', 'plain tagged'],
    [`value_search=${encodeURIComponent('0% sure_')}`, 'plain'],
    [`value_search=${encodeURIComponent('%')}`, 'plain'],
    ['project_id=p', 'persona'],
    ['tags=a&tags=c', 'persona tagged'],
    ['tags=a,c', ''],
    ['tags=b&tags=a&match_all_tags=true', 'persona'],
    ['tags=b&tags=b&match_all_tags=true', 'persona tagged'],
    ['tags=a&templates_only=true', 'template'],
    ['connected_to_agents_count_gt=0', 'plain persona'],
    ['connected_to_agents_count_gt=1', 'persona'],
    ['connected_to_agents_count_lt=1', 'tagged'],
    ['connected_to_agents_count_lt=2&connected_to_agents_count_gt=0', 'plain'],
    ['connected_to_agents_count_eq=0', 'tagged'],
    ['connected_to_agents_count_eq=0&connected_to_agents_count_eq=2', 'persona tagged'],
    ['tags=b&connected_to_agents_count_eq=2&value_search=am', 'persona'],
    ['label=&tags=&limit=', 'plain persona tagged'],
  ] as const) {
    const ids = (await pagesFrom(alice, `/v1/blocks/?${query}`)).flat()
    expect([query, ids.map((id) => names.get(id)).join(' ')]).toEqual([query, expected])
    expect((await alice.get(`/v1/blocks/count?${query.replace('&limit=', '')}`)).body).toBe(ids.length)
  }
  for (const query of [
    'label=a%20b',
    `label=${'a'.repeat(51)}`,
    `value_search=${'a'.repeat(201)}`,
    'name=a%2Fb',
    'identity_id=x',
    'connected_to_agents_count_gt=-1',
    'connected_to_agents_count_eq=x',
    'limit=0',
    'limit=201',
    'order_by=name',
    'lable=x',
  ]) {
    expect([query, (await alice.get(`/v1/blocks/?${query}`)).status]).toEqual([query, 422])
  }
})

test('walking pages of any size shows every block once, either way; before is the page next to the cursor', async () => {
  const { alice, bob } = server
  const made = []
  for (let n = 0; n < 7; n++) made.push((await make(alice, { project_id: 'walk' })).id)
  const url = '/v1/blocks/?project_id=walk'
  for (const limit of [1, 2, 3, 7, 50]) {
    expect((await pagesFrom(alice, `${url}&limit=${limit}`)).flat()).toEqual(made)
    expect((await pagesFrom(alice, `${url}&limit=${limit}&order=desc`)).flat()).toEqual(made.toReversed())
  }
  const ids = async (query: string) => (await alice.get<Made[]>(`${url}&${query}`)).body.map(({ id }) => id)
  expect(await ids(`before=${made[5]}&limit=2`)).toEqual([made[3], made[4]])
  expect(await ids(`before=${made[1]}&limit=2&order=desc`)).toEqual([made[3], made[2]])
  expect(await ids(`after=${made[1]}&before=${made[4]}`)).toEqual([made[2], made[3]])
  await alice.delete(`/v1/blocks/${made[3]}`)
  expect(await ids(`after=${made[3]}&limit=1`)).toEqual([made[4]])
  expect((await bob.get(`${url}&after=${made[0]}`)).body).toEqual([])
  expect((await alice.get('/v1/blocks?after=block-00000000-0000-4000-8000-000000000000')).status).toBe(404)
})

test('a page of long values ends before it fills the memory, and its link leads to the rest', async () => {
  const { alice } = server
  const long = 'x'.repeat(990_000)
  const url = '/v1/blocks/?project_id=long'
  const made = []
  // Text that compresses well counts as it is read.
  for (let n = 0; n < 20; n++) {
    made.push(
      (await make(alice, { project_id: 'long', limit: null, ...(n % 2 ? { value: long } : { metadata: { long } }) }))
        .id,
    )
  }
  expect(await pagesFrom(alice, url)).toEqual([made.slice(0, 17), made.slice(17)])
  expect(await pagesFrom(alice, `${url}&order=desc&limit=200`)).toEqual([
    made.slice(3).reverse(),
    made.slice(0, 3).reverse(),
  ])
  expect(await pagesFrom(alice, `${url}&limit=15`)).toEqual([made.slice(0, 15), made.slice(15)])
  const { body, headers } = await alice.get(`${url}&before=${made[19]}`)
  expect(body.map(({ id }: Made) => id)).toEqual(made.slice(2, 19))
  expect(headers.link).toContain(`before=${made[2]}`)
})
