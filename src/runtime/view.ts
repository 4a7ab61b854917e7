import type { Scope } from '../db/scope.ts'
import type { Target } from '../resources/messages/table.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import type { OwnedRun } from './commit.ts'
import { createEventLog } from './event-log.ts'
import { prepareTurn } from './prepare.ts'
import type { RunRequest } from './request.ts'
import type { Start, Turn } from './turn.ts'

/** What only a run uses: without one, no tool is called and nothing is measured. */
const UNUSED = {} as Pick<Start, 'tools' | 'telemetry' | 'begin' | 'changed'>

/** A thread between two runs. */
export const noRun = (target: Target): OwnedRun => ({ ...target, id: '', owner: '', fence: 0, hasCallback: false })

/** A thread as a run with this request would see it. It is no run: nothing of it can be committed. 404, 422 for its model. */
export const viewThread = (
  scope: Scope,
  models: LanguageModels,
  target: Target,
  request: RunRequest = { messages: [] },
  signal: AbortSignal = new AbortController().signal,
): Promise<Turn> =>
  prepareTurn(
    {
      scope,
      run: noRun(target),
      request,
      log: createEventLog(0),
      signal,
      startedAt: Date.now(),
      attempts: 0,
      ...UNUSED,
    },
    models,
  )
