import type { Scope } from '../../db/scope.ts'
import { secretsOf } from '../../resources/agents/secrets.ts'
import { environmentOf } from '../../resources/sandbox-variables/environment.ts'
import type { Tool } from '../../resources/tools/schema.ts'
import {
  type AgentState,
  LANGUAGES,
  type Language,
  type Sandbox,
  SandboxError,
  type SandboxResult,
} from '../../sandbox/sandbox.ts'
import { ToolError } from '../memory.ts'
import { parametersOf } from '../prescribed.ts'
import { limitsOf, packagesFor } from './sandbox-settings.ts'
import type { Arguments, ToolContext, ToolResult } from './tool.ts'

/** A function with its source. */
export type Source = Partial<
  Pick<
    Tool,
    | 'id'
    | 'name'
    | 'source_code'
    | 'source_type'
    | 'json_schema'
    | 'project_id'
    | 'pip_requirements'
    | 'npm_requirements'
  >
>

/** The call of a function. */
export interface SourceCall {
  args: Arguments
  /** Variables of this call alone, which replace others of their names. */
  env?: Readonly<Record<string, string>> | undefined
  /** The agent that calls, with its memory. */
  caller?: Pick<ToolContext, 'agent' | 'memory'> | undefined
}

/** The language of a source; undefined for one that runs in no sandbox. */
export const languageOf = ({ source_type }: Pick<Tool, 'source_type'>): Language | undefined =>
  LANGUAGES.find((language) => language === (source_type ?? 'python'))

const asLines = (text: string) => (text === '' ? [] : [text])

/** The return of a function. */
export const returnOf = ({ status, text, stdout, stderr, memory }: SandboxResult): ToolResult => ({
  status,
  output: text,
  stdout: asLines(stdout),
  stderr: asLines(stderr),
  memory,
})

/** The agent as its tools see it. */
const stateOf = ({ agent: { row }, memory }: Pick<ToolContext, 'agent' | 'memory'>): AgentState => ({
  id: row.id,
  name: row.name ?? '',
  description: row.description ?? null,
  agent_type: row.agent_type ?? null,
  system: row.system ?? null,
  tags: row.tags ?? [],
  metadata: row.metadata ?? null,
  timezone: row.timezone ?? null,
  blocks: [...memory.blocks.values()].map(({ id, label, value, description, limit, readOnly }) => ({
    ...{ id, label, value, description },
    limit: limit ?? null,
    read_only: readOnly,
  })),
})

/** The ids of a call under the names that tools of either API read. */
function idsOf({ id, project_id }: Source, agentId: string | undefined): Record<string, string> {
  const ids = { AGENT_ID: agentId, TOOL_ID: id, PROJECT_ID: project_id }
  return Object.fromEntries(
    Object.entries(ids).flatMap(([name, value]) =>
      value ? ['CAIRN', 'LETTA'].map((prefix) => [`${prefix}_${name}`, value]) : [],
    ),
  )
}

/**
 * Runs a function in the sandbox: with the organization's variables and the agent's secrets as its environment, and the agent
 * where its source names `agent_state`. An error of the function is a result. Throws a ToolError where this server can't run it, and the reason of
 * `signal`.
 */
export async function runSource(
  { sandbox, scope }: { sandbox: Sandbox; scope: Scope },
  source: Source,
  { args, env, caller }: SourceCall,
  signal?: AbortSignal,
): Promise<SandboxResult> {
  const language = languageOf(source)
  if (!language) throw new ToolError(`A source of type ${source.source_type} can't run on this server.`)
  const code = source.source_code ?? ''
  const agentId = caller?.agent.row.id
  const { properties, $defs: definitions } = parametersOf(source)
  const [{ settings, variables }, secrets] = await Promise.all([
    environmentOf(scope, await sandbox.place()),
    agentId === undefined ? {} : secretsOf(scope, agentId),
  ])
  try {
    return await sandbox.run(
      {
        organizationId: scope.organizationId,
        language,
        code,
        name: source.name,
        packages: packagesFor(source, language, settings),
        args,
        parameters: Object.keys(properties ?? {}),
        definitions,
        limits: limitsOf(settings),
        env: { ...variables, ...secrets, ...env, ...idsOf(source, agentId) },
        agentState: caller && code.includes('agent_state') ? stateOf(caller) : undefined,
      },
      signal,
    )
  } catch (error) {
    throw error instanceof SandboxError ? new ToolError(error.message) : error
  }
}
