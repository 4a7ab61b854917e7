import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()
const URL = '/v1/sandbox-config'

test('an organization has one configuration for each type of sandbox: a second one of a type replaces its settings', async () => {
  const { alice, bob } = server
  const local = (await alice.post(`${URL}/local/default`)).body
  expect(local).toMatchObject({ type: 'local', config: { use_venv: false, venv_name: 'venv', pip_requirements: [] } })
  expect((await alice.post(`${URL}/local/default`)).body).toEqual(local)
  const requirements = [{ name: 'requests', version: '2.32.3' }]
  const set = (await alice.post(`${URL}/local`, { use_venv: true, pip_requirements: requirements })).body
  expect(set).toMatchObject({ id: local.id, config: { use_venv: true, pip_requirements: requirements } })
  const hosted = (await alice.post(URL, { config: { timeout: 60, template: 'base' } })).body
  expect(hosted).toMatchObject({ type: 'e2b', config: { timeout: 60, template: 'base' } })
  const modal = (await alice.post(URL, { config: { npm_requirements: ['lodash@4.17.21'], pip_requirements: ['six'] } }))
    .body
  expect(modal).toMatchObject({ type: 'modal', config: { timeout: 60, language: 'python' } })
  expect((await alice.get(`${URL}/?sandbox_type=e2b`)).body).toEqual([hosted])
  expect((await alice.get(`${URL}/`)).body).toHaveLength(3)
  expect((await bob.get(`${URL}/`)).body).toEqual([])
  for (const id of [local.id, hosted.id]) expect((await bob.get(`${URL}/${id}`)).status).toBe(404)
})

test('ten callers at once make one configuration', async () => {
  const { bob } = server
  const replies = await Promise.all(Array.from({ length: 10 }, () => bob.post(`${URL}/e2b/default`)))
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
})

test('settings are changed by those of their own type, and go with their configuration', async () => {
  const { alice } = server
  const { id } = (await alice.post(`${URL}/local/default`)).body
  const wrong = await alice.patch(`${URL}/${id}`, { config: { template: 'base' } })
  expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringContaining('use_venv')])
  expect((await alice.patch(`${URL}/${id}`, { config: { use_venv: true } })).body.config.use_venv).toBe(true)
  expect((await alice.delete(`${URL}/${id}`)).status).toBe(204)
  expect((await alice.get(`${URL}/${id}`)).status).toBe(404)
})

test.each(['--index-url=http://x', '-r x', '../x', 'git+https://x', 'x @ http://x', 'a b', 'six==1 --pre'])(
  'a package %s is no package',
  async (name) => {
    const by = [
      { pip_requirements: [{ name }] },
      { timeout: 5, pip_requirements: [name] },
      { npm_requirements: [name] },
    ]
    for (const config of by) expect((await server.alice.post(URL, { config })).status).toBe(422)
  },
)
