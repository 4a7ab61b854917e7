import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { idAt } from '../../lib/ids.ts'

const server = useTestServer()

test('the text of a stored message is read from one of its fields: storing thousands keeps no other caller waiting', async () => {
  const { id } = (await server.alice.post('/v1/agents/', { include_base_tools: false })).body
  const organization = server.organizations.alice
  const messages = Array.from({ length: 100 }, (_, n) => ({
    id: idAt('message', new Date(), n),
    role: n % 2 ? 'user' : 'tool',
    content: [{ type: 'text', text: `kettle ${n}` }],
    tool_returns: [{ tool_call_id: 'call', status: 'success', func_response: `teapot ${n}` }],
  }))
  const calls = await server.database.transaction(async (trx) => {
    await sql`set local track_functions = 'pl'`.execute(trx)
    await sql`
      insert into messages (organization_id, id, agent_id, role, content, tool_returns, created_at)
      select ${organization}, id, ${id}, role, content, tool_returns, now()
      from json_populate_recordset(null::messages, ${JSON.stringify(messages)}::json)`.execute(trx)
    const { rows } = await sql<{ funcname: string; calls: number }>`
      select funcname, calls::int from pg_stat_xact_user_functions where funcname in ('message_text', 'parse_json')
      order by funcname`.execute(trx)
    return rows
  })
  // A tool's return is packed JSON in a JSON list.
  expect(calls).toEqual([
    { funcname: 'message_text', calls: 100 },
    { funcname: 'parse_json', calls: 150 },
  ])
  const { rows } = await sql<{ found: number }>`
    select count(*)::int as found from message_texts where organization_id = ${organization} and agent_id = ${id}
      and search_vector @@ to_tsquery('english', 'kettle | teapot')`.execute(server.database.kysely)
  expect(rows).toEqual([{ found: 100 }])
})
