import { randomUUID } from 'node:crypto'
import type { Scope } from '../../db/scope.ts'
import { ApiError, conflict, invalid, invalidOr400, notFound } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import { loadAgent } from '../../resources/agents/load.ts'
import { deriveFrom, nameIn } from '../../resources/tools/function-schema.ts'
import { type RunSource, type Tool, tools } from '../../resources/tools/schema.ts'
import type { SourceReader } from '../../resources/tools/source/reader.ts'
import { limited } from '../execute.ts'
import { createMemory, setValue, ToolError, ToolSetupError } from '../memory.ts'
import { isRefusal } from '../refused.ts'
import { writeMemory } from '../write-memory.ts'
import { languageOf, returnOf, runSource, type Source, type SourceCall } from './run-source.ts'
import type { Arguments, ToolContext, ToolResult, ToolServices } from './tool.ts'

/** A call that belongs to no run: a caller of the API has made it. Errors of the tool are results. */
export interface DirectCall {
  result: ToolResult
  /** The return as JSON; undefined for an error. */
  value?: unknown
}

/** A call within the limit of its tool: a longer return is cut text. */
function withinLimit(
  { return_char_limit }: Pick<Tool, 'return_char_limit'>,
  { result, value }: DirectCall,
): DirectCall {
  const cut = limited(result, return_char_limit)
  return { result: cut, value: cut === result ? value : cut.output }
}

/** Awaits a call. An error that a model would read is its result. 422 for a tool that lacks a setting. */
async function caught<T extends DirectCall>(call: Promise<T>): Promise<T | DirectCall> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ToolSetupError) throw invalid({ in: 'path', field: 'tool_name', message: error.message })
    if (!(error instanceof ToolError || isRefusal(error))) throw error
    return { result: { status: 'error', output: error.message, stdout: [], stderr: [error.message] } }
  }
}

async function callSource(
  services: Parameters<typeof runSource>[0],
  source: Source,
  call: SourceCall,
  signal: AbortSignal,
) {
  const returned = await runSource(services, source, call, signal)
  return { result: returnOf(returned), value: returned.value }
}

async function callTool(tool: Tool, args: Arguments, context: ToolContext): Promise<DirectCall> {
  const { scope, services, memory, callId, signal } = context
  if (tool.tool_type === 'custom' && languageOf(tool)) {
    const call = await callSource({ sandbox: services.sandbox, scope }, tool, { args, caller: context }, signal)
    for (const [label, value] of Object.entries(call.result.memory ?? {})) setValue(memory, label, value, callId)
    return withinLimit(tool, call)
  }
  const found = services.findTool(tool)
  if (!found) throw new ToolError(`This server can't run the tool ${tool.name}.`)
  const returned = await (typeof found === 'function' ? found(args, context) : found.run(args, context))
  const result = typeof returned === 'string' ? { status: 'success' as const, output: returned } : returned
  return withinLimit(tool, { result, value: result.output })
}

/** The function of a source to call. 422 (400 for Letta clients) for a source that can't be read. */
async function functionOf(reader: SourceReader, { name, json_schema, source_code, source_type, ...body }: RunSource) {
  const given = json_schema ?? (body.args_json_schema && { parameters: body.args_json_schema })
  const known = name ?? (json_schema && nameIn(json_schema))
  const source = { source_code, source_type: source_type ?? 'python', is_only_called: true }
  // A function in TypeScript takes its arguments in the order of its parameters.
  if (known && (given || source_type !== 'typescript')) return { name: known, json_schema: given ?? {} }
  try {
    const derived = await deriveFrom(reader, source)
    return { name: known ?? derived.name, json_schema: given ?? derived }
  } catch (error) {
    throw error instanceof ApiError && error.issues ? invalidOr400(...error.issues) : error
  }
}

/** Runs a function that is not stored. 422 (400 for Letta clients) for a source without a function. */
export async function runGiven(
  scope: Scope,
  { tools, reader }: { tools: ToolServices; reader: SourceReader },
  body: RunSource,
  signal: AbortSignal,
): Promise<DirectCall> {
  const { source_code, source_type, args, env_vars, pip_requirements, npm_requirements } = body
  const source = {
    source_code,
    source_type: source_type ?? 'python',
    ...(await functionOf(reader, body)),
    pip_requirements: omitNulls(pip_requirements) ?? [],
    npm_requirements: omitNulls(npm_requirements) ?? [],
  }
  const call = { args, env: env_vars ?? undefined }
  return withinLimit({}, await caught(callSource({ sandbox: tools.sandbox, scope }, source, call, signal)))
}

/** Runs a tool without an agent. 404; 409 for a tool that has no source of its own. */
export async function runStored(
  scope: Scope,
  { sandbox }: ToolServices,
  id: string,
  { args, env_vars }: { args?: Arguments | null | undefined; env_vars?: Record<string, string> | null | undefined },
  signal: AbortSignal,
): Promise<DirectCall> {
  const tool = await scope.get(tools, id)
  if (tool.tool_type !== 'custom') throw conflict(`The tool ${tool.name} has no source: run it for an agent.`)
  const call = { args: args ?? {}, env: env_vars ?? undefined }
  return withinLimit(tool, await caught(callSource({ sandbox, scope }, tool, call, signal)))
}

/**
 * Calls a tool of an agent for a caller of the API, with the agent's memory and secrets. `store` then writes its changes in a
 * transaction: 409 where somebody else has changed the same memory block meanwhile. 404 for an agent that is not there, and for a
 * tool that it doesn't have.
 */
export async function runForAgent(
  scope: Scope,
  services: ToolServices,
  { agentId, name, args }: { agentId: string; name: string; args: Arguments },
  signal: AbortSignal,
): Promise<DirectCall & { store(tx: Scope): Promise<void> }> {
  const agent = await loadAgent(scope, agentId)
  const tool = agent.tools.find((one) => one.name === name)
  if (!tool) throw notFound('tool of the agent', name)
  const author = { agent_id: agentId, run_id: null, tool_call_id: `call-${randomUUID()}` }
  const memory = createMemory(agent.blocks)
  const context = { scope, agent, memory, callId: author.tool_call_id, author, hops: 0, rows: [], services, signal }
  const call = await caught(callTool(tool, args, context))
  return {
    ...call,
    async store(tx) {
      if (call.result.status === 'error') return
      await writeMemory(tx, { agentId, id: null }, memory).catch((error) => {
        const isStale = error instanceof ApiError && error.code === 'precondition_failed'
        throw isStale ? conflict('The tool ran, but a memory block that it changes was changed meanwhile.') : error
      })
      await call.result.effect?.(tx.asAgent(author))
    },
  }
}
