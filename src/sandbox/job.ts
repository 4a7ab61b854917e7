import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { JobEnd } from './one-shot.ts'
import { MAX_RESULT, type SandboxCall, type SandboxLimits, type SandboxResult } from './sandbox.ts'

/** Room beside the memory of a call for addresses that are reserved and not used. */
const SPARE = 256 * 1024 * 1024

/** The job of a call, as the harnesses read it. `paths`: the directories of its packages. */
export const jobOf = (call: SandboxCall, limits: SandboxLimits, paths: readonly string[]) => ({
  code: call.code,
  name: call.name,
  args: call.args,
  parameters: call.parameters,
  definitions: call.definitions,
  env: call.env,
  paths,
  agent_state: call.agentState,
  limits: { address_space: limits.memory + SPARE, disk: limits.disk, processes: limits.processes },
})

/** What the harness of a language writes. */
const Result = Type.Union([
  Type.Object({
    status: Type.Literal('success'),
    text: Type.String(),
    value: Type.Unknown(),
    memory: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  Type.Object({
    status: Type.Literal('error'),
    error: Type.Object({ type: Type.String(), message: Type.String(), traceback: Type.String() }),
  }),
])

const seconds = (ms: number) => `${ms / 1000} seconds`
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

/** The reason why a call has no result. */
function reasonOf(end: JobEnd['end'], { timeMs, memory }: SandboxLimits): string {
  if (end === 'time') return `TimeoutError: it took more than ${seconds(timeMs)}, and was ended.`
  if (end === 'memory') return `MemoryError: it took more than ${megabytes(memory)} of memory, and was ended.`
  if (end === 'flood') return `it wrote too much, or returned more than ${megabytes(MAX_RESULT)}, and was ended.`
  if (end === 'exit') return 'it ended without a return.'
  return 'it wrote to the descriptor of results, and was ended.'
}

/** The result of a call from its end. */
export function resultOf(end: JobEnd, { name }: SandboxCall, limits: SandboxLimits): SandboxResult {
  const { stdout, stderr } = end
  const failed = (reason: string, traceback = '') => {
    const text = `Error executing ${name ? `function ${name}` : 'the code'}: ${reason}`
    return { status: 'error' as const, value: null, text, stdout, stderr: stderr + (traceback || text), memory: {} }
  }
  if (end.end !== 'result') return failed(reasonOf(end.end, limits))
  if (!Check(Result, end.result)) return failed(reasonOf('forged', limits))
  if (end.result.status === 'success') return { memory: {}, ...end.result, stdout, stderr }
  const { type, message, traceback } = end.result.error
  return failed(`${type}: ${message}`, traceback)
}
