import type { Scope } from '../db/scope.ts'
import type { Fetch } from '../lib/egress.ts'
import { callModel } from '../llm/call-model.ts'
import type { SendMessages } from '../resources/messages/body.ts'
import { checkGroups } from '../resources/messages/insert.ts'
import type { Target } from '../resources/messages/table.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { callOptions } from './call-options.ts'
import { offerTools } from './offer.ts'
import { runRequest } from './request.ts'
import { viewThread } from './view.ts'

/** Thrown instead of sending a request. */
class UnsentError extends Error {}

/** The body of the request that a run with these messages would send to its provider first. Nothing is sent or stored. 404, 422. */
export async function previewRequest(
  scope: Scope,
  models: LanguageModels,
  target: Target,
  body: SendMessages,
): Promise<Record<string, unknown>> {
  let sent: string | undefined
  const capture: Fetch = async (_, init) => {
    sent = String(init?.body ?? '{}')
    throw new UnsentError()
  }
  const unsent: LanguageModels = { ...models, of: (tenant, config) => models.of(tenant, config, { fetch: capture }) }
  await checkGroups(scope, [...new Set((body.messages ?? []).flatMap(({ group_id }) => group_id ?? []))])
  const turn = await viewThread(scope, unsent, target, runRequest(body))
  const pieces = callModel(turn.model, callOptions(turn, offerTools(turn)), [])
  try {
    // The built-in model has no provider: it gives its request with its answer.
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) return value.request as Record<string, unknown>
    }
  } catch (error) {
    if (sent === undefined) throw error
    return JSON.parse(sent)
  }
}
