import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { attachBlock, countGroups, createGroup, detachBlock, listGroups, updateGroup } from './groups.ts'
import {
  CountGroups,
  CreateGroup,
  Group,
  GroupBlockParams,
  GroupParams,
  groups,
  ListGroups,
  UpdateGroup,
} from './schema.ts'

const params = GroupParams
const one = { 200: Ref(Group) }

const operations = operationsOf('groups', {
  list_groups: ['List groups, oldest first', { querystring: ListGroups, response: { 200: Type.Array(Ref(Group)) } }],
  count_groups: ['Count groups', { querystring: CountGroups, response: { 200: Type.Integer() } }],
  create_group: ['Create a group', { body: CreateGroup, response: one }],
  retrieve_group: ['Retrieve a group', { params, response: one }],
  modify_group: ['Modify a group', { params, body: UpdateGroup, response: one }],
  delete_group: ['Delete a group; its members stay', { params, response: { 200: Message } }],
  attach_block_to_group: [
    'Share a block with the members of a group',
    { params: GroupBlockParams, response: { 200: Type.Null() } },
  ],
  detach_block_from_group: [
    'Stop sharing a block with the members of a group',
    { params: GroupBlockParams, response: { 200: Type.Null() } },
  ],
})

/** `/v1/groups` */
export async function groupRoutes(app: App) {
  app.get('/', operations.list_groups, ({ scope, query }) => listGroups(scope, query))
  app.get('/count', operations.count_groups, ({ scope, query }) => countGroups(scope, query))
  app.post('/', operations.create_group, ({ scope, body }) => createGroup(scope, body))
  app.get('/:group_id', operations.retrieve_group, ({ scope, params }) => scope.retrieve(groups, params.group_id))

  app.patch('/:group_id', operations.modify_group, ({ scope, params, body }) =>
    updateGroup(scope, params.group_id, body),
  )

  app.delete('/:group_id', operations.delete_group, async ({ scope, params: { group_id } }) => {
    await scope.remove(groups, group_id)
    return { message: `Group id=${group_id} successfully deleted` }
  })

  app.patch('/:group_id/blocks/attach/:block_id', operations.attach_block_to_group, async ({ scope, params }) => {
    await attachBlock(scope, params.group_id, params.block_id)
    return null
  })

  app.patch('/:group_id/blocks/detach/:block_id', operations.detach_block_from_group, async ({ scope, params }) => {
    await detachBlock(scope, params.group_id, params.block_id)
    return null
  })
}
