import { type Static, Type } from 'typebox'
import { Closed, Create, Id, Instant, Patch, Query, Shape } from '../../lib/wire.ts'

const { Optional } = Type
const name = Type.String({ minLength: 1, maxLength: 200 })

export const Organization = Shape('Organization', {
  id: Id('org'),
  name: Type.String(),
  created_at: Instant(),
  privileged_tools: Type.Boolean(),
})
export type Organization = Static<typeof Organization>

export const User = Shape('User', {
  id: Id('user'),
  organization_id: Id('org'),
  name: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  is_deleted: Type.Boolean(),
})
export type User = Static<typeof User>

export const CreateOrganization = Create({ name, privileged_tools: Type.Boolean() }, ['name'])
export type CreateOrganization = Static<typeof CreateOrganization>

export const UpdateOrganization = Patch({ name, privileged_tools: Type.Boolean() }, ['name', 'privileged_tools'])
export type UpdateOrganization = Static<typeof UpdateOrganization>

export const CreateUser = Create({ name, organization_id: Id('org') }, ['name', 'organization_id'])
export type CreateUser = Static<typeof CreateUser>

export const UpdateUser = Closed({ id: Id('user'), name: Optional(name), organization_id: Optional(Id('org')) })
export type UpdateUser = Static<typeof UpdateUser>

const limit = Optional(Type.Integer({ minimum: 1, maximum: 200 }))

export const ListOrganizations = Query({ after: Optional(Id('org')), limit })
export const ListUsers = Query({ after: Optional(Id('user')), limit })

export const OneOrganization = Query({ org_id: Id('org') })
export const OneUser = Query({ user_id: Id('user') })
