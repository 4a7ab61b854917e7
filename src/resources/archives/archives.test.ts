import { describe, expect, test, vi } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

describe('archives', () => {
  test('what is created is what is retrieved, listed, modified and deleted', async () => {
    const { alice } = server
    const made = await alice.post('/v1/archives/', { name: 'Notes', description: 'Mine', metadata: { a: null } })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      name: 'Notes',
      description: 'Mine',
      metadata: { a: null },
      vector_db_provider: 'native',
    })
    const url = `/v1/archives/${made.body.id}`
    expect((await alice.get(url)).body).toEqual(made.body)
    expect((await alice.get('/v1/archives?name=Notes')).body).toEqual([made.body])
    const changed = await alice.patch(url, { name: 'Papers', description: null })
    expect(changed.body).toMatchObject({ id: made.body.id, name: 'Papers' })
    expect(changed.body).not.toHaveProperty('description')
    expect((await alice.delete(url)).status).toBe(204)
    expect((await alice.get(url)).status).toBe(404)
  })

  test('were never changed before they were made, though the clock was put back between', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 })
    for (const client of [server.alice, server.bob]) {
      const made = (await client.post('/v1/archives/', { name: 'Early' })).body
      vi.setSystemTime(Date.parse(made.created_at) - 60_000)
      const changed = (await client.patch(`/v1/archives/${made.id}`, { name: 'Late' })).body
      expect(changed).toMatchObject({ name: 'Late', created_at: made.created_at, updated_at: made.updated_at })
      vi.setSystemTime(Date.parse(made.created_at) + 1)
      expect((await client.patch(`/v1/archives/${made.id}`, { name: 'Later' })).body.updated_at > made.updated_at).toBe(
        true,
      )
    }
    vi.useRealTimers()
  })

  test('another organization gets the answer of an archive that does not exist', async () => {
    const { alice, bob } = server
    const { id } = (await alice.post('/v1/archives/', { name: 'Hers' })).body
    const foreign = await bob.get(`/v1/archives/${id}`)
    const unknown = 'archive-00000000-0000-4000-8000-000000000000'
    const missing = await bob.get(`/v1/archives/${unknown}`)
    const plain = (reply: typeof foreign, own: string) =>
      JSON.stringify({ ...reply.body, request_id: '' }).replaceAll(own, 'ID')
    expect(foreign.status).toBe(404)
    expect(plain(foreign, id)).toBe(plain(missing, unknown))
    expect((await bob.delete(`/v1/archives/${id}`)).status).toBe(404)
    expect((await bob.patch(`/v1/archives/${id}`, { name: 'Mine now' })).status).toBe(404)
    expect((await alice.get(`/v1/archives/${id}`)).body.name).toBe('Hers')
  })
})
