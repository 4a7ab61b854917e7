import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { cleanToolName } from '../../lib/tool-name.ts'
import type { McpTool } from '../../mcp/client.ts'
import { readParameters } from '../../mcp/tool-schema.ts'
import { toolHolders } from '../agents/holders/holders.ts'
import { deleteTool } from '../tools/modify.ts'
import { tools } from '../tools/schema.ts'
import { DEFAULTS } from '../tools/tools.ts'
import type { Refreshed, StoredServer } from './schema.ts'

/** A tool of a server, and the tool here that stands for it. */
interface Mapping {
  tool_id: string
  name: string
  definition: McpTool
}

type NamedServer = Pick<StoredServer, 'id' | 'server_name'>

/** The fields of a tool that its server decides. Undefined for a tool that models can't be offered. */
function fieldsOf({ id, server_name }: NamedServer, name: string, { description, inputSchema, annotations }: McpTool) {
  const { parameters, health } = readParameters(inputSchema)
  if (health.status === 'INVALID') return undefined
  const text = description ?? ''
  return {
    description: text,
    json_schema: {
      name,
      description: text,
      parameters,
      'mcp:SCHEMA_STATUS': health.status,
      'mcp:SCHEMA_WARNINGS': health.reasons,
    },
    metadata_: { mcp: { server_name, server_id: id, ...(annotations && { annotations }) } },
  }
}

/** The part of a tool that is stored: what calls need, and what shows a change. */
const definitionOf = ({ name, title, description, inputSchema, annotations }: McpTool): McpTool =>
  JSON.parse(JSON.stringify({ name, title, description, inputSchema, annotations }))

const mappingsOf = (scope: Scope, serverId: string) =>
  scope.query<Mapping>(sql`select tool_id, name, definition from mcp_tools
    where organization_id = ${scope.organizationId} and mcp_server_id = ${serverId} order by tool_id`)

/** Names for new tools: their own, or behind the server's name where another tool has theirs. Undefined where both are taken. */
async function namesFor(scope: Scope, server: NamedServer, found: readonly McpTool[]) {
  const candidates = (tool: McpTool) => [cleanToolName(tool.name), cleanToolName(`${server.server_name}_${tool.name}`)]
  const rows = await scope.query<{ name: string }>(sql`select name from tools
    where organization_id = ${scope.organizationId} and name = any(${found.flatMap(candidates)}::text[])`)
  const taken = new Set(rows.map(({ name }) => name))
  return found.map((tool) => {
    const name = candidates(tool).find((one) => one !== '' && !taken.has(one))
    if (name !== undefined) taken.add(name)
    return name
  })
}

async function addTools(tx: Scope, server: NamedServer, found: readonly McpTool[]): Promise<string[]> {
  const names = await namesFor(tx, server, found)
  const rows = found.flatMap((definition, n) => {
    const name = names[n]
    const fields = name === undefined ? undefined : fieldsOf(server, name, definition)
    return fields ? [{ definition, row: { ...DEFAULTS, ...fields, name: name!, ...ofServer(server) } }] : []
  })
  const made = await tx.insertOnConflictDoNothing(
    tools,
    rows.map(({ row }) => row),
  )
  const ids = new Map(made.map(({ id, name }) => [name, id]))
  // A tool that another request has given the name at this moment gets another name at the next refresh.
  const mapped = rows.flatMap(({ definition, row }) => {
    const tool_id = ids.get(row.name)
    return tool_id ? [{ tool_id, name: definition.name, definition }] : []
  })
  await tx.query(sql`
    insert into mcp_tools (organization_id, mcp_server_id, tool_id, name, definition)
    select ${tx.organizationId}, ${server.id}, tool_id, name, definition
    from json_to_recordset(${JSON.stringify(mapped)}::json) as given (tool_id text, name text, definition json)
    returning tool_id`)
  return mapped.map(({ name }) => name)
}

const ofServer = ({ server_name }: NamedServer) => ({
  tool_type: 'external_mcp' as const,
  tags: [`mcp:${server_name}`],
})

async function changeTools(tx: Scope, server: NamedServer, changed: readonly { mapping: Mapping; tool: McpTool }[]) {
  const rows = await tx.select(tools, (query) =>
    query.where(sql<boolean>`tools.id = any(${changed.map(({ mapping }) => mapping.tool_id)}::text[])`),
  )
  const names = new Map(rows.map(({ id, name }) => [id, name!]))
  const fitting = changed.flatMap(({ mapping: { tool_id }, tool }) => {
    const fields = fieldsOf(server, names.get(tool_id)!, tool)
    return fields ? [{ patch: { id: tool_id, ...fields }, tool }] : []
  })
  await tx.updateMany(
    tools,
    fitting.map(({ patch }) => patch),
  )
  const definitions = fitting.map(({ patch, tool }) => ({ tool_id: patch.id, definition: tool }))
  await tx.query(sql`
    update mcp_tools set definition = given.definition
    from json_to_recordset(${JSON.stringify(definitions)}::json) as given (tool_id text, definition json)
    where mcp_tools.organization_id = ${tx.organizationId} and mcp_tools.tool_id = given.tool_id returning name`)
  return fitting.map(({ tool }) => tool.name)
}

/**
 * Makes exactly the tools that a server lists its tools here, inside the scope's transaction. Agents lose those that are gone. Tools
 * that models can't be offered are left out. Returns the names at the server.
 */
export async function storeTools(tx: Scope, server: NamedServer, listed: readonly McpTool[]): Promise<Refreshed> {
  const found = new Map(listed.map((tool) => [tool.name, definitionOf(tool)]))
  const mappings = await mappingsOf(tx, server.id)
  const known = new Set(mappings.map(({ name }) => name))
  const deleted = mappings.filter(({ name }) => !found.has(name))
  const changed = mappings.flatMap((mapping) => {
    const tool = found.get(mapping.name)
    return tool && !isDeepStrictEqual(tool, mapping.definition) ? [{ mapping, tool }] : []
  })
  for (const { tool_id } of deleted) await deleteTool(tx, toolHolders, tool_id)
  const updated = await changeTools(tx, server, changed)
  const added = await addTools(
    tx,
    server,
    [...found.values()].filter(({ name }) => !known.has(name)),
  )
  return { deleted: deleted.map(({ name }) => name), updated, added }
}

/** Deletes the tools of a server, inside the scope's transaction. */
export async function deleteTools(tx: Scope, serverId: string): Promise<void> {
  for (const { tool_id } of await mappingsOf(tx, serverId)) await deleteTool(tx, toolHolders, tool_id)
}

/** Gives the tools of a server its new name, inside the scope's transaction. */
export async function renameTools(tx: Scope, { id, server_name: before }: NamedServer, after: string): Promise<void> {
  const rows = await tx.select(tools, (query) => query.where(ofMcpServer(tx, id)))
  await tx.updateMany(
    tools,
    rows.map(({ id, tags = [], metadata_ = {} }) => ({
      id: id!,
      tags: tags.map((tag) => (tag === `mcp:${before}` ? `mcp:${after}` : tag)),
      metadata_: { ...metadata_, mcp: { ...(metadata_.mcp as object), server_name: after } },
    })),
  )
}

/** SQL: a row of `tools` stands for a tool of this server. */
export const ofMcpServer = (scope: Scope, serverId: string) => sql<boolean>`exists (select from mcp_tools as mapping
  where mapping.organization_id = ${scope.organizationId} and mapping.mcp_server_id = ${serverId}
    and mapping.tool_id = tools.id)`
