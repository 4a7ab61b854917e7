import type { FastifyReply, FastifyRequest } from 'fastify'
import { operationsOf } from '../../../http/operation.ts'
import { prepared } from '../../../http/prepared.ts'
import type { App } from '../../../http/server.ts'
import { callerGone } from '../../../http/sse.ts'
import { Ref } from '../../../lib/wire.ts'
import { type DirectCall, runForAgent, runGiven, runStored } from '../../../runtime/tools/direct.ts'
import type { ToolServices } from '../../../runtime/tools/tool.ts'
import { ToolReturnMessage } from '../../messages/schema.ts'
import { RunSource, RunTool, RunToolAlone, ToolExecution, ToolParams } from '../../tools/schema.ts'
import type { SourceReader } from '../../tools/source/reader.ts'
import { AgentToolNameParams } from './schema.ts'

const response = { 200: Ref(ToolExecution) }
const config = { callsUpstream: true, idempotency: 'claimed' } as const
const runs = { ...config, right: 'run' } as const

/** Aborted when the caller is gone; of a request that may be repeated, never: its result is stored. */
const signalOf = ({ claim }: FastifyRequest, reply: FastifyReply) =>
  claim ? new AbortController().signal : callerGone(reply)

const operations = operationsOf('tools', {
  run_tool_from_source: [
    'Run a tool that is not stored',
    { body: RunSource, response: { 200: Ref(ToolReturnMessage) } },
    config,
  ],
  run_tool: ['Run a tool without an agent', { params: ToolParams, body: RunToolAlone, response }, runs],
})

const agentOperations = operationsOf('agents', {
  run_tool_for_agent: [
    'Run a tool of an agent with its memory and its secrets',
    { params: AgentToolNameParams, body: RunTool, response },
    runs,
  ],
})

/** The result of a call. */
function executionOf({ result: { status, output, stdout, stderr }, value }: DirectCall): ToolExecution {
  const isError = status === 'error'
  return {
    status,
    ...(!isError && { func_return: value }),
    stdout: stdout ?? [],
    stderr: stderr ?? (isError ? [output] : []),
  }
}

/** The result of a call in the form of a message, which has no id. */
function messageOf({ result }: DirectCall) {
  const { status, output: tool_return, stdout, stderr } = result
  const returned = { tool_return, status, tool_call_id: 'null', stdout: stdout ?? [], stderr: stderr ?? [] }
  return {
    id: 'null',
    date: new Date().toISOString(),
    message_type: 'tool_return_message' as const,
    ...returned,
    tool_returns: [{ type: 'tool' as const, ...returned }],
  }
}

interface Deps {
  tools: ToolServices
  reader: SourceReader
}

/** `/v1/tools/run` and `/v1/tools/{tool_id}/run` */
export const toolRunRoutes = (deps: Deps) => async (app: App) => {
  app.post(
    '/run',
    prepared({
      ...operations.run_tool_from_source,
      prepare: (request, reply) => runGiven(request.scope, deps, request.body, signalOf(request, reply)),
      handle: async (_request, call) => messageOf(call),
    }),
  )

  app.post(
    '/:tool_id/run',
    prepared({
      ...operations.run_tool,
      prepare: (request, reply) =>
        runStored(request.scope, deps.tools, request.params.tool_id, request.body ?? {}, signalOf(request, reply)),
      handle: async (_request, call) => executionOf(call),
    }),
  )
}

/** `/v1/agents/{agent_id}/tools/{tool_name}/run` */
export const agentToolRunRoutes = (tools: ToolServices) => async (app: App) => {
  app.post(
    '/:agent_id/tools/:tool_name/run',
    prepared({
      ...agentOperations.run_tool_for_agent,
      prepare(request, reply) {
        const { scope, params, body } = request
        const call = { agentId: params.agent_id, name: params.tool_name, args: body?.args ?? {} }
        return runForAgent(scope, tools, call, signalOf(request, reply))
      },
      async handle({ scope }, call) {
        await call.store(scope)
        return executionOf(call)
      },
    }),
  )
}
