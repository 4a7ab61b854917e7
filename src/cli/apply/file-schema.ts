import { Type } from 'typebox'
import { List, Name, OneOf, Strict } from '../../lib/wire.ts'
import { AGENT_TYPES, settings } from '../../resources/agents/schema.ts'
import { CreateBlock } from '../../resources/blocks/schema.ts'

const { name, tags, ...own } = settings
const Names = Type.Optional(List(Name({ minLength: 1 })))

/** The fields of an agent that a file sets as they are. */
export const SETTINGS = Object.keys(own)

/** A file of agents: blocks are named by their labels, tools and folders by their names. */
export const AgentsFile = Strict({
  agents: List(
    Strict({
      name,
      ...Type.Partial(Type.Object({ ...own, tags })).properties,
      agent_type: Type.Optional(OneOf(AGENT_TYPES)),
      blocks: Type.Optional(List(CreateBlock)),
      tools: Names,
      folders: Names,
    }),
  ),
})

export interface FiledBlock {
  label: string
  value: string
  [field: string]: unknown
}

/** An agent as a file describes it. */
export interface FiledAgent {
  name: string
  tags?: string[]
  blocks?: FiledBlock[]
  tools?: string[]
  folders?: string[]
  [field: string]: unknown
}
