import { newId } from '../../lib/ids.ts'
import type { ModelOutput } from '../../llm/model-output.ts'
import type { LlmConfig } from '../../resources/models/schema.ts'
import type { Commit } from '../commit.ts'
import { stepColumns, traceColumns } from '../trace.ts'
import type { Turn } from '../turn.ts'

/** A call of a model that has summarized messages. */
export interface SummaryCall {
  config: LlmConfig
  output: ModelOutput
  milliseconds: number
}

/** The steps of calls that summarized, each with its request. Without a run they are the agent's alone. */
export function summarySteps(turn: Turn, calls: readonly SummaryCall[]): Required<Pick<Commit, 'steps' | 'traces'>> {
  const rows = calls.map(({ config, output, milliseconds }) => {
    const [id, of] = [newId('step'), { ...turn, config }]
    const columns = stepColumns(of, id, output, { milliseconds, total: milliseconds }, undefined)
    return {
      step: { ...columns, phase: 'summary', tags: ['summarization'] },
      trace: traceColumns(of, id, output, 'summarization'),
    }
  })
  return { steps: rows.map(({ step }) => step), traces: rows.map(({ trace }) => trace) }
}
