import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { ApiError, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { omitNulls } from '../../lib/json.ts'
import { WRITE_TOOLS } from '../../lib/permissions.ts'
import { baseToolsOf, MULTI_AGENT_TOOLS } from '../agents/base-tools.ts'
import { DEFAULT_TYPE } from '../agents/schema.ts'
import { BUILTIN_TYPES, tools } from '../tools/schema.ts'
import { DEFAULTS } from '../tools/tools.ts'
import type { AgentFileParts, Placed, PlacedAgent, ToolEntry } from './entry-schema.ts'
import { joinPlaces } from './fit.ts'

const isBuiltin = (type: string | null | undefined) => BUILTIN_TYPES.some((builtin) => builtin === type)

const nameOf = ({ name, json_schema }: ToolEntry) => name ?? String(json_schema?.name)

/** The columns of a tool of the organization's own, every one of them. */
function columnsOf({ at: _, id: __, ...entry }: Placed<ToolEntry>) {
  const schemaDescription = entry.json_schema?.description
  return {
    name: nameOf({ id: '', ...entry }),
    tool_type: entry.tool_type ?? 'custom',
    description: entry.description ?? (typeof schemaDescription === 'string' ? schemaDescription : null),
    source_type: entry.source_type ?? DEFAULTS.source_type,
    source_code: entry.source_code ?? null,
    json_schema: entry.json_schema ?? null,
    args_json_schema: entry.args_json_schema ?? null,
    tags: entry.tags ?? DEFAULTS.tags,
    metadata_: entry.metadata_ ?? DEFAULTS.metadata_,
    return_char_limit: entry.return_char_limit ?? DEFAULTS.return_char_limit,
    pip_requirements: omitNulls(entry.pip_requirements) ?? null,
    npm_requirements: omitNulls(entry.npm_requirements) ?? null,
    default_requires_approval: entry.default_requires_approval ?? null,
    enable_parallel_execution: entry.enable_parallel_execution ?? DEFAULTS.enable_parallel_execution,
  }
}

/** 403 unless the key may write the source of tools. */
function needWriteTools(scope: Scope): void {
  if (!scope.can(WRITE_TOOLS))
    throw new ApiError('forbidden', `The file has tools of its own: this key lacks the scope "${WRITE_TOOLS}".`)
}

/** The names of the tools an agent asks for beside those of the file. */
const namesFor = ({
  tools,
  agent_type,
  enable_sleeptime,
  include_base_tools,
  include_multi_agent_tools,
}: PlacedAgent) => [
  ...(tools ?? []),
  ...(include_base_tools ? baseToolsOf(agent_type ?? DEFAULT_TYPE, enable_sleeptime === true) : []),
  ...(include_multi_agent_tools ? MULTI_AGENT_TOOLS : []),
]

/**
 * The organization's tools for those of a file, by name: built-in ones are its own; of the others, those it lacks are
 * made, and those it has are changed into the file's where `override` says so. Returns the ids of each agent's tools, in
 * the order of `file.agents`; tools that this server lacks are left out and reported in `warnings`. A constant number of statements.
 */
export async function settleTools(tx: Scope, file: AgentFileParts, override: boolean): Promise<string[][]> {
  const own = file.tools.filter(({ tool_type }) => !isBuiltin(tool_type))
  const added = await tx.insertOnConflictDoNothing(
    tools,
    own.map((entry) => ({ ...columnsOf(entry), id: newId('tool') })),
  )
  const made = new Set(added.map(({ id }) => id))
  if (made.size > 0) needWriteTools(tx)
  const names = [...file.tools.map(nameOf), ...file.agents.flatMap(namesFor)]
  const found = new Map(
    (
      await tx.query(sql<{ id: string; name: string; tool_type: string }>`
        select id, name, tool_type from tools
        where organization_id = ${tx.organizationId} and name = any(${names}::text[])`)
    ).map((tool) => [tool.name, tool]),
  )
  if (override) {
    const changed = own.flatMap((entry) => {
      const { id, tool_type } = found.get(nameOf(entry))!
      // The server of a tool decides what the tool is.
      return made.has(id) || isBuiltin(tool_type) || tool_type === 'external_mcp' ? [] : [{ id, ...columnsOf(entry) }]
    })
    if (changed.length > 0) needWriteTools(tx)
    await tx.updateMany(tools, changed)
  }

  const idOf = new Map<string, string>()
  for (const entry of file.tools) {
    const name = nameOf(entry)
    const tool = found.get(name)
    if (tool) idOf.set(entry.id, tool.id)
    else file.warnings.push(`${entry.at} "${name}": left out, as this server has no built-in tool of that name`)
    if (tool && isBuiltin(tool.tool_type) && !isBuiltin(entry.tool_type)) {
      file.warnings.push(
        `${entry.at} "${name}": left out, as it is the name of a built-in tool, which was taken instead`,
      )
    }
  }
  const issues: ValidationIssue[] = file.agents.flatMap(({ at, tools: requested }) =>
    (requested ?? []).flatMap((name, n) =>
      found.has(name) ? [] : [inBody(joinPlaces(at, `tools[${n}]`), `no tool is named "${name}"`)],
    ),
  )
  if (issues.length > 0) throw invalid(...issues)
  return file.agents.map((agent) => [
    ...new Set([
      ...(agent.tool_ids ?? []).flatMap((id) => idOf.get(id) ?? []),
      ...namesFor(agent).flatMap((name) => found.get(name)?.id ?? []),
    ]),
  ])
}
