import type { Scope } from '../../db/scope.ts'
import { lockToolById, refuseBuiltin } from './lock.ts'
import { tools } from './schema.ts'
import type { ToolHolders } from './tools.ts'

/** Deletes a tool, and detaches it from its agents first. 404; 409 for a built-in tool. */
export async function deleteTool(scope: Scope, { detachTool }: ToolHolders, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    refuseBuiltin(await lockToolById(tx, id), 'deleted')
    await detachTool(tx, id)
    await tx.remove(tools, id)
  })
}
