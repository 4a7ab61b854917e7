import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { folders } from '../folders/schema.ts'
import type { ImportPlan } from './plan-context.ts'

/** The number of attempts to find a free name, as concurrent imports may take each name first. */
const ATTEMPTS = 10

/** The number that distinguishes a folder from others of its name. */
const NUMBER = ' \\([0-9]+\\)$'

/** A longer name has no room for a number. */
const MAX_BASE_LENGTH = 480

/** Inserts folders; one whose name is taken gets the next free name, such as `Papers (2)`. 409 if none is found. */
export async function insertFolders(tx: Scope, planned: ImportPlan['folders']): Promise<void> {
  let left = planned
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw conflict(`No free name could be found for the folder "${left[0]!.name}".`)
    const inserted = new Set((await tx.insertOnConflictDoNothing(folders, left)).map(({ id }) => id))
    left = left.filter(({ id }) => !inserted.has(id))
    if (left.length > 0) left = await renamed(tx, left)
  }
}

/** The folders under names that no folder of the organization has. */
async function renamed(tx: Scope, planned: ImportPlan['folders']): Promise<ImportPlan['folders']> {
  const names = planned.map(({ name }) => baseOf(name))
  const taken = await tx.query(sql<{ name: string }>`select name from folders
    where organization_id = ${tx.organizationId}
      and left(regexp_replace(name, ${NUMBER}, ''), ${MAX_BASE_LENGTH}) = any(${names}::text[])`)
  const nextName = createNumbering(new Set(taken.map(({ name }) => name)))
  return planned.map((folder) => ({ ...folder, name: nextName(baseOf(folder.name)) }))
}

const baseOf = (name: string) => name.replace(new RegExp(NUMBER), '').slice(0, MAX_BASE_LENGTH)

/** Appends to each name the lowest number, from 2 on, that makes it a new name. */
function createNumbering(taken: ReadonlySet<string>) {
  const last = new Map<string, number>()
  return (name: string) => {
    let n = (last.get(name) ?? 1) + 1
    while (taken.has(`${name} (${n})`)) n++
    last.set(name, n)
    return `${name} (${n})`
  }
}
