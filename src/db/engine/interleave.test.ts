import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'

const VALUES = ["'; rollback; --", '\\', "\\'", '$1', '$2 $$', '"', '{a,"b"}', 'null', '', '😀\n']

test('reads in a transaction of others return what they return outside, and their failures end only themselves', async () => {
  const database = await openDatabase({ databaseUrl: 'memory:', dataDir: '', poolSize: 1 })
  const { kysely } = database
  await sql`create table things (n integer, text text)`.execute(kysely)
  await sql`insert into things values (1, 'one'), (2, null)`.execute(kysely)
  const read = (statement: ReturnType<typeof sql>) => database.read(statement.compile(kysely))
  const reads = [
    ...VALUES.map(
      (value) => sql`select ${value}::text as value, ${[value, 'x']}::text[] as list, ${null}::text as none`,
    ),
    sql`select *, ${true}::boolean as yes, now() is not null as now, '{"a": [1]}'::jsonb as json from things order by n desc`,
    sql`select n, n from things where n = ${1} limit ${'5'}`,
  ]
  const expected = await Promise.all(reads.map(read))
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const transaction = database.transaction(async (trx) => {
    await sql`update things set n = n + 100`.execute(trx)
    begun.resolve()
    await end.promise
    await sql`insert into things values (3, 'three')`.execute(trx)
  })
  await begun.promise
  const late = [sql`select 1 / (n - 1) from things`, sql`insert into things values (9, 'nine')`].map(read)
  const settled = Promise.allSettled(late)
  expect(await Promise.all(reads.map(read))).toEqual(expected)
  end.resolve()
  await transaction
  // Both ran in their own turn: no row has the number 1 any more.
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(await read(sql`select n from things order by n`)).toEqual([3, 9, 101, 102].map((n) => ({ n })))
  await database.close()
})
