import { Type } from 'typebox'
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

const tags = ['groups']
const params = GroupParams
const one = { 200: Ref(Group) }

/** `/v1/groups` */
export async function groupRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_groups',
        summary: 'List groups, oldest first',
        tags,
        querystring: ListGroups,
        response: { 200: Type.Array(Ref(Group)) },
      },
    },
    ({ scope, query }) => listGroups(scope, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_groups',
        summary: 'Count groups',
        tags,
        querystring: CountGroups,
        response: { 200: Type.Integer() },
      },
    },
    ({ scope, query }) => countGroups(scope, query),
  )

  app.post(
    '/',
    { schema: { operationId: 'create_group', summary: 'Create a group', tags, body: CreateGroup, response: one } },
    ({ scope, body }) => createGroup(scope, body),
  )

  app.get(
    '/:group_id',
    { schema: { operationId: 'retrieve_group', summary: 'Retrieve a group', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(groups, params.group_id),
  )

  app.patch(
    '/:group_id',
    {
      schema: {
        operationId: 'modify_group',
        summary: 'Modify a group',
        tags,
        params,
        body: UpdateGroup,
        response: one,
      },
    },
    ({ scope, params, body }) => updateGroup(scope, params.group_id, body),
  )

  app.delete(
    '/:group_id',
    {
      schema: {
        operationId: 'delete_group',
        summary: 'Delete a group; its members stay',
        tags,
        params,
        response: { 200: Message },
      },
    },
    async ({ scope, params: { group_id } }) => {
      await scope.remove(groups, group_id)
      return { message: `Group id=${group_id} successfully deleted` }
    },
  )

  app.patch(
    '/:group_id/blocks/attach/:block_id',
    {
      schema: {
        operationId: 'attach_block_to_group',
        summary: 'Share a block with the members of a group',
        tags,
        params: GroupBlockParams,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await attachBlock(scope, params.group_id, params.block_id)
      return null
    },
  )

  app.patch(
    '/:group_id/blocks/detach/:block_id',
    {
      schema: {
        operationId: 'detach_block_from_group',
        summary: 'Stop sharing a block with the members of a group',
        tags,
        params: GroupBlockParams,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await detachBlock(scope, params.group_id, params.block_id)
      return null
    },
  )
}
