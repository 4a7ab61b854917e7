import { sql } from 'kysely'
import type { Actor } from '../db/context.ts'
import type { Database } from '../db/engine/database.ts'
import type { Scope } from '../db/scope.ts'
import type { McpPrograms } from '../lib/mcp-programs.ts'
import type { McpDeps } from '../resources/mcp-servers/call.ts'
import { syncPrograms } from '../resources/mcp-servers/programs.ts'
import type { Work } from './work.ts'

/** Gives an organization the MCP servers of the settings. */
export const syncProgramsWork = (mcp: McpDeps): Work<'sync_programs'> => ({
  handler: (scope, _, signal) => syncPrograms(scope, mcp, signal),
  concurrency: 2,
})

/** Enqueues that for each organization that has them not yet, or not as the settings have them. */
export async function enqueuePrograms(
  { kysely }: Database,
  scopeOf: (actor: Actor) => Scope,
  programs: McpPrograms,
): Promise<void> {
  const rows = Object.entries(programs).map(([name, { command, args = [], organizations = null }]) => ({
    name,
    command,
    args,
    organizations,
  }))
  if (rows.length === 0) return
  const found = await sql<{ id: string }>`
    select id from organizations as o where exists (
      select from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as g (name text, command text, args jsonb, organizations jsonb)
      left join mcp_servers as s on s.organization_id = o.id and s.server_name = g.name
      where (g.organizations is null or g.organizations ? o.id)
        and (s.id is null or s.mcp_server_type = 'stdio'
          and (s.last_synced is null or s.command <> g.command or s.args::jsonb <> g.args)))`.execute(kysely)
  for (const { id } of found.rows) {
    const actor = { organizationId: id, userId: null, keyId: null, scopes: [], requestId: null, operator: false }
    await scopeOf(actor).enqueue('sync_programs', {}, id)
  }
}
