import type { Answer } from '../answer.ts'
import { createIds } from '../ids.ts'
import type { Json } from '../shape.ts'
import { refuse } from '../stub.ts'
import { itemsOf, responseOf, responseStream } from './responses-answer.ts'
import { checkInput, type Sent } from './responses-input.ts'
import { checkResponsesRequest } from './responses-request.ts'

/** `POST /v1/responses`: it remembers the items that it sent, to recognize them in later requests. */
export function createResponses(newCallId: () => string) {
  const sent = new Map<string, Sent>()
  const stored = new Set<string>()
  const ids = { call: newCallId, item: createIds('', 48) }
  const newId = createIds('resp_', 48)

  function remember(items: Json[], store: boolean): void {
    const reasoning = items.find(({ type }) => type === 'reasoning')?.id
    for (const [at, item] of items.entries()) {
      sent.set(item.id, at === 1 && reasoning ? { item, reasoning } : { item })
      if (store) stored.add(item.id)
    }
  }

  return {
    accept(body: Json, checkModel: (body: Json) => void) {
      if (body === undefined) refuse('We could not parse the JSON body of your request.')
      checkResponsesRequest(body)
      checkModel(body)
      if (Array.isArray(body.input)) checkInput(body.input, sent, stored)
      return (answer: Answer) => {
        const items = itemsOf(body, answer, ids)
        remember(items, body.store !== false)
        const response = responseOf(body, answer, newId(), items)
        return body.stream ? responseStream(response) : response
      }
    },
  }
}
