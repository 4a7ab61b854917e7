import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'

/** 405 with the reason, whatever the message. */
async function refuse(): Promise<never> {
  const reason = "A message can't be changed: several conversations may share it."
  throw new ApiError('method_not_allowed', reason, { headers: { allow: '' } })
}

/** `PATCH /v1/agents/{agent_id}/messages/{message_id}`, and the same of groups, which clients of the Letta API try. */
export const messageChangeRoutes = async (app: App) => {
  const options = { schema: { hide: true }, config: { onlyThisMethod: true }, onRequest: refuse }
  for (const owner of ['agents', 'groups']) app.patch(`/${owner}/:owner_id/messages/:message_id`, options, refuse)
}
