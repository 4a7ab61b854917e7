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

const list = {
  schema: {
    operationId: 'list_groups',
    summary: 'List groups, oldest first',
    tags,
    querystring: ListGroups,
    response: { 200: Type.Array(Ref(Group)) },
  },
} as const

const count = {
  schema: {
    operationId: 'count_groups',
    summary: 'Count groups',
    tags,
    querystring: CountGroups,
    response: { 200: Type.Integer() },
  },
} as const

const create = {
  schema: { operationId: 'create_group', summary: 'Create a group', tags, body: CreateGroup, response: one },
} as const

const retrieve = {
  schema: { operationId: 'retrieve_group', summary: 'Retrieve a group', tags, params, response: one },
} as const

const modify = {
  schema: {
    operationId: 'modify_group',
    summary: 'Modify a group',
    tags,
    params,
    body: UpdateGroup,
    response: one,
  },
} as const

const remove = {
  schema: {
    operationId: 'delete_group',
    summary: 'Delete a group; its members stay',
    tags,
    params,
    response: { 200: Message },
  },
} as const

const attach = {
  schema: {
    operationId: 'attach_block_to_group',
    summary: 'Share a block with the members of a group',
    tags,
    params: GroupBlockParams,
    response: { 200: Type.Null() },
  },
} as const

const detach = {
  schema: {
    operationId: 'detach_block_from_group',
    summary: 'Stop sharing a block with the members of a group',
    tags,
    params: GroupBlockParams,
    response: { 200: Type.Null() },
  },
} as const

/** `/v1/groups` */
export async function groupRoutes(app: App) {
  app.get('/', list, ({ scope, query }) => listGroups(scope, query))

  app.get('/count', count, ({ scope, query }) => countGroups(scope, query))

  app.post('/', create, ({ scope, body }) => createGroup(scope, body))

  app.get('/:group_id', retrieve, ({ scope, params }) => scope.retrieve(groups, params.group_id))

  app.patch('/:group_id', modify, ({ scope, params, body }) => updateGroup(scope, params.group_id, body))

  app.delete('/:group_id', remove, async ({ scope, params: { group_id } }) => {
    await scope.remove(groups, group_id)
    return { message: `Group id=${group_id} successfully deleted` }
  })

  app.patch('/:group_id/blocks/attach/:block_id', attach, async ({ scope, params }) => {
    await attachBlock(scope, params.group_id, params.block_id)
    return null
  })

  app.patch('/:group_id/blocks/detach/:block_id', detach, async ({ scope, params }) => {
    await detachBlock(scope, params.group_id, params.block_id)
    return null
  })
}
