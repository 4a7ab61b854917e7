import type { ModelCall } from '../llm/call-model.ts'
import { callSettings } from '../llm/settings.ts'
import { promptOf } from './compaction/gauge.ts'
import type { Offer } from './offer.ts'
import { tokenDataOf } from './token-turns.ts'
import type { Turn } from './turn.ts'

/** The options of a run's next call of its model. */
export const callOptions = (turn: Turn, offer: Offer): ModelCall => ({
  prompt: promptOf(turn),
  ...offer.options,
  ...callSettings(turn.config, turn.agent.row.model_settings ?? {}, offer.parallel, tokenDataOf(turn.request)),
  abortSignal: turn.signal,
})
