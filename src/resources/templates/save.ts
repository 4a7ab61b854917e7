import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { MigrateDeployment, SaveTemplate } from './body.ts'
import { migrateAgents } from './migrate.ts'
import { holding, type Named } from './named.ts'
import type { Template } from './schema.ts'
import { saveCurrent, versionOf } from './versions.ts'

/**
 * Saves the working copy as the next version, and migrates the agents of the template if the body says so, in one
 * transaction. 404; 409 and 422 as `migrateAgents`.
 */
export const saveTemplate = (scope: Scope, named: Named, body: SaveTemplate, defaultModel: string): Promise<Template> =>
  holding(scope, named, async (tx, locked) => {
    const { template, version } = await saveCurrent(tx, locked, body?.message ?? undefined)
    if (body?.migrate_agents) {
      await migrateAgents(tx, template, version, {
        keepValues: body.preserve_core_memories_on_migration ?? false,
        keepFolders: body.preserve_sources_on_migration ?? false,
        keepSecrets: body.preserve_environment_variables_on_migration ?? false,
        deleteBlocks: body.block_reconciliation_strategy === 'reconcile-all',
        defaultModel,
      })
    }
    return template
  })

/** Migrates the agents of one deployment to a saved version, in one transaction. 404; 409 and 422 as `migrateAgents`. */
export const migrateDeployment = (
  scope: Scope,
  named: Named,
  deploymentId: string,
  body: MigrateDeployment,
  defaultModel: string,
): Promise<void> =>
  holding(scope, named, async (tx, template) => {
    const migration = {
      keepValues: body.preserve_core_memories ?? false,
      keepFolders: body.preserve_sources ?? false,
      keepSecrets: body.preserve_tool_variables ?? false,
      deleteBlocks: false,
      memoryVariables: body.memory_variables,
      defaultModel,
    }
    const version = await versionOf(tx, template, body.version)
    if ((await migrateAgents(tx, template, version, migration, deploymentId)) === 0) {
      throw notFound('deployment', deploymentId)
    }
  })
