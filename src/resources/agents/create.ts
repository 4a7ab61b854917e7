import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { retrieveAgent } from './agents.ts'
import type { CreateAgent } from './body.ts'
import { insertAgent } from './insert.ts'
import { ALL_RELATIONS } from './relations.ts'
import type { Agent } from './schema.ts'
import { addSleeptimePartner } from './sleeptime.ts'

/** Makes an agent and all that comes with it, inside the scope's transaction. Returns its id. `own` are columns besides. */
export async function makeAgent(tx: Scope, body: CreateAgent, defaultModel: string, own?: object): Promise<string> {
  const id = await insertAgent(tx, body, defaultModel, own)
  if (body.enable_sleeptime) await addSleeptimePartner(tx, id, defaultModel)
  return id
}

/** Makes an agent and all that comes with it, or nothing. */
export async function createAgent(scope: Scope, body: CreateAgent, defaultModel: string): Promise<Rendered<Agent>> {
  const id = await scope.transaction((tx) => makeAgent(tx, body, defaultModel))
  return retrieveAgent(scope, id, { include: ALL_RELATIONS })
}
