import type pg from 'pg'
import { v7 } from 'uuid'
import { blockValue } from './bodies.ts'

/** A statement as the server sends it, under the name it was prepared by. */
export interface Statement {
  name: string | undefined
  text: string
  values: unknown[]
}

/** The SQL of a request in steps: the statements of one step are sent at once, each step after the previous one. */
export type Plan = Statement[][]

/** Changes a recorded statement before it is run again. */
export type Vary = (statement: Statement) => Statement

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The UUIDs in the values of a plan's statements, without the prefixes of ids. */
export const idsIn = (plan: Plan): Set<string> =>
  new Set(plan.flat().flatMap(({ values }) => JSON.stringify(values).match(UUID) ?? []))

/** Replaces the ids that the recorded request created by new ones, the same new id for the same old one. */
export function withNewIds(createdIds: readonly string[]): Vary {
  const replacements = new Map(createdIds.map((id) => [id, v7()]))
  const renew = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renew)
    return typeof value === 'string' ? value.replace(UUID, (id) => replacements.get(id) ?? id) : value
  }
  return (statement) => ({ ...statement, values: statement.values.map(renew) })
}

/** Turns the recorded update into the nth one: of the next block, and to a value that no other update sets. */
export function withNthUpdate(blockIds: readonly string[], n: number): Vary {
  const replacements = new Map([
    [blockIds[0], blockIds[n % blockIds.length]],
    [blockValue('captured', 0), blockValue('driver', n)],
  ])
  return (statement) => ({
    ...statement,
    values: statement.values.map((value) => replacements.get(value as string) ?? value),
  })
}

/** Runs the steps of a plan, a transaction's on one connection. */
export async function replay(pool: pg.Pool, plan: Plan, vary: Vary): Promise<void> {
  const isTransaction = plan.some(([statement]) => statement!.text === 'begin')
  const client = isTransaction ? await pool.connect() : undefined
  try {
    for (const step of plan) {
      await Promise.all(
        step.map((statement) => {
          const varied = vary(statement)
          // Only a statement with values can be prepared.
          const query = varied.values.length > 0 ? varied : varied.text
          return (client ?? pool).query(query as string)
        }),
      )
    }
  } finally {
    client?.release()
  }
}
