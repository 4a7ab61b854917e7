import { type Static, Type } from 'typebox'
import { idPattern } from '../../lib/ids.ts'
import { Closed, Create, FilterList, Name, OneOf, Ref } from '../../lib/wire.ts'
import { Agent } from './schema.ts'

const is = (field: string) => Type.Literal(field)
const EQUALS = { operator: OneOf(['eq']), value: Type.String() }

/** A criterion of a search for agents. */
export type Criterion =
  | { field: 'name'; operator: 'eq' | 'contains'; value: string }
  | { field: 'tags'; operator: 'contains'; value: string[] }
  | { field: 'version'; value: string }
  | { field: 'identity' | 'templateName' | 'agentId'; operator: 'eq'; value: string }

const Criterion = Type.Unsafe<Criterion>({
  anyOf: [
    Create({ field: is('name'), operator: OneOf(['eq', 'contains']), value: Type.String() }, [
      'field',
      'operator',
      'value',
    ]),
    Create({ field: is('tags'), operator: OneOf(['contains']), value: FilterList(Name()) }, [
      'field',
      'operator',
      'value',
    ]),
    Create({ field: is('version'), value: Type.String() }, ['field', 'value']),
    ...['identity', 'templateName', 'agentId'].map((field) =>
      Create({ field: is(field), ...EQUALS }, ['field', 'operator', 'value']),
    ),
  ],
})

export const SearchAgents = Create({
  search: Type.Array(Criterion, { maxItems: 20, description: 'What the agents must be, all of it.' }),
  project_id: Name(),
  combinator: OneOf(['AND']),
  limit: Type.Integer({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' }),
  after: Type.String({ pattern: idPattern('agent'), description: 'The nextCursor of the page before.' }),
  sortBy: OneOf(['created_at', 'last_run_completion', 'updated_at']),
  ascending: Type.Boolean({ description: 'Oldest first. Default false.' }),
})
export type SearchAgents = Static<typeof SearchAgents>

export const FoundAgents = Closed({
  agents: Type.Array(Ref(Agent)),
  nextCursor: Type.Optional(Type.String({ description: 'Where the next page begins.' })),
})
export type FoundAgents = Static<typeof FoundAgents>
