import { ModelError } from '../llm/model-error.ts'
import { runStep } from './step.ts'
import type { Turn } from './turn.ts'

/** Whether another model may succeed where one failed. */
const mayPass = (error: unknown) =>
  error instanceof ModelError && (error.passing || error.type === 'llm_insufficient_credits')

/**
 * One step, as `runStep`. Where the model fails and the operator names another for it, the run goes on with that one: a failed
 * step has stored nothing. Each model is tried once.
 */
export async function runStepWithFallback(turn: Turn, isLast: boolean) {
  const tried = new Set<string>()
  for (;;) {
    try {
      return await runStep(turn, isLast)
    } catch (error) {
      tried.add(turn.config.handle ?? '')
      const next = mayPass(error) && !turn.signal.aborted && (await turn.models.next(turn.scope, turn.config))
      if (!next || tried.has(next.config.handle ?? '')) throw error
      Object.assign(turn, next)
    }
  }
}
