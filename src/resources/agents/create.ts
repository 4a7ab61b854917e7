import type { Scope } from '../../db/scope.ts'
import { retrieveAgent } from './agents.ts'
import type { CreateAgent } from './body.ts'
import { insertAgent } from './insert.ts'
import { ALL_RELATIONS, type Loaded } from './relations.ts'
import { addSleeptimePartner } from './sleeptime.ts'

/** Makes an agent and all that comes with it, or nothing. */
export async function createAgent(scope: Scope, body: CreateAgent, defaultModel: string): Promise<Loaded> {
  const id = await scope.transaction(async (tx) => {
    const made = await insertAgent(tx, body, defaultModel)
    if (body.enable_sleeptime) await addSleeptimePartner(tx, made, defaultModel)
    return made
  })
  return retrieveAgent(scope, id, { include: ALL_RELATIONS })
}
