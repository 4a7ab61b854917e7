import { type Static, Type } from 'typebox'
import type { Resource } from '../../db/resource.ts'
import { idPattern } from '../../lib/ids.ts'
import { Closed, FilterList, Instant, Int, OneOf, Page, Query, Shape } from '../../lib/wire.ts'
import { accessTokens } from '../access-tokens/schema.ts'
import { agentFiles } from '../agents/files/schema.ts'
import { schedules } from '../agents/schedule/schema.ts'
import { agents } from '../agents/schema.ts'
import { apiKeys } from '../api-keys/schema.ts'
import { archives } from '../archives/schema.ts'
import { batches } from '../batches/schema.ts'
import { authorOfChange } from '../blocks/history/schema.ts'
import { blocks } from '../blocks/schema.ts'
import { budgets } from '../budgets/schema.ts'
import { conversations } from '../conversations/schema.ts'
import { files, folders } from '../folders/schema.ts'
import { groups } from '../groups/schema.ts'
import { identities } from '../identities/schema.ts'
import { mcpServers } from '../mcp-servers/schema.ts'
import { passages } from '../passages/schema.ts'
import { projects } from '../projects/schema.ts'
import { providers } from '../providers/schema.ts'
import { runs } from '../runs/schema.ts'
import { sandboxConfigs } from '../sandbox-configs/schema.ts'
import { sandboxVariables } from '../sandbox-variables/schema.ts'
import { steps } from '../steps/schema.ts'
import { templates, templateVersions } from '../templates/schema.ts'
import { tools } from '../tools/schema.ts'

const { Optional } = Type

/** The resources whose changes are listed, with the scope that reads them. The kind of a resource is the prefix of its ids. */
export const KINDS: readonly (readonly [resource: Resource, scope: string])[] = [
  [agents, 'agents:read'],
  [agentFiles, 'agents:read'],
  [schedules, 'agents:read'],
  [archives, 'archives:read'],
  [passages, 'archives:read'],
  [blocks, 'blocks:read'],
  [budgets, 'budgets:read'],
  [conversations, 'conversations:read'],
  [folders, 'folders:read'],
  [files, 'folders:read'],
  [groups, 'groups:read'],
  [identities, 'identities:read'],
  [mcpServers, 'mcp-servers:read'],
  [batches, 'messages:read'],
  [projects, 'projects:read'],
  [providers, 'providers:read'],
  [runs, 'runs:read'],
  [sandboxConfigs, 'sandbox-config:read'],
  [sandboxVariables, 'sandbox-config:read'],
  [steps, 'steps:read'],
  [templates, 'templates:read'],
  [templateVersions, 'templates:read'],
  [tools, 'tools:read'],
  [accessTokens, 'client-side-access-tokens:read'],
  [apiKeys, 'admin'],
]

const PREFIXES = KINDS.map(([{ prefix }]) => prefix)
const OPERATIONS = ['create', 'update', 'delete', 'link', 'unlink'] as const

/** The longest value of a changed field that is shown whole, in characters. */
export const MAX_SHOWN = 2_000

const ChangedField = Closed({
  name: Type.String(),
  before: Optional(Type.Unknown({ description: 'Absent where the field had no value.' })),
  after: Optional(Type.Unknown({ description: 'Absent where the field has no value.' })),
  truncated: Optional(
    Type.Literal(true, {
      description: `A value was longer than ${MAX_SHOWN} characters: its beginning is shown, that of its JSON if it is no text.`,
    }),
  ),
})

/** A change of a resource: who made it, and the fields that it changed. */
export const Change = Shape('Change', {
  id: Type.String({ description: 'The id of the resource and the version that the change made.' }),
  kind: OneOf(PREFIXES, { description: 'The kind of the resource: the prefix of its id.' }),
  resource_id: Type.String(),
  resource_name: Optional(Type.String({ description: 'Its name or label, as the change left it.' })),
  version: Int({ minimum: 1 }),
  operation: OneOf(OPERATIONS, {
    description: '`link` and `unlink`: other resources were attached to this one, or detached.',
  }),
  created_at: Instant({ description: 'When the transaction of the change began.' }),
  ...authorOfChange,
  fields: Type.Array(ChangedField, { description: 'Without secrets, and without the times of the resource.' }),
  attached: Type.Array(Type.String(), {
    description: 'Ids of resources, names of secrets and of models of a provider.',
  }),
  detached: Type.Array(Type.String()),
})
export type Change = Static<typeof Change>

const anyOf = (...prefixes: string[]) => `(${prefixes.map((prefix) => idPattern(prefix).slice(1, -1)).join('|')})`
const { limit, order } = Page('')
const cursor = (description: string) =>
  Optional(
    Type.String({
      title: '<id of a resource>:<version>',
      pattern: `^${anyOf(...PREFIXES)}:[1-9][0-9]{0,9}$`,
      description,
    }),
  )

export const ListChanges = Query({
  ...{ limit, order },
  after: cursor('The rows that follow this id in the order asked for.'),
  before: cursor('The rows immediately before this id in the order asked for.'),
  kind: Optional(FilterList(OneOf(PREFIXES))),
  operation: Optional(FilterList(OneOf(OPERATIONS))),
  resource_id: Optional(Type.String({ title: 'an id of a resource', pattern: `^${anyOf(...PREFIXES)}$` })),
  actor_id: Optional(
    Type.String({
      title: 'an id of an API key, a user, an agent or a run',
      pattern: `^${anyOf('api_key', 'user', 'agent', 'run')}$`,
      description: 'Only changes by this API key, user, agent or run.',
    }),
  ),
  created_after: Optional(Instant({ description: 'Only changes then or later.' })),
  created_before: Optional(Instant({ description: 'Only changes before.' })),
})
export type ListChanges = Static<typeof ListChanges>
