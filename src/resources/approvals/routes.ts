import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listApprovals } from './approvals.ts'
import { ListApprovals, PendingApproval } from './schema.ts'

const operations = operationsOf('approvals', {
  list_approvals: [
    'List the calls that wait for an approval, oldest first. A page of large calls ends before its limit: the header `Link` has the next one',
    { querystring: ListApprovals, response: { 200: Type.Array(Ref(PendingApproval)) } },
  ],
})

/** `/v1/approvals` */
export async function approvalRoutes(app: App) {
  app.get('/', operations.list_approvals, ({ scope, query }) => listApprovals(scope, query))
}
