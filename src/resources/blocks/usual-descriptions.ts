import type { Scope } from '../../db/scope.ts'
import type { CreateBlock } from './schema.ts'

/** The descriptions of new blocks with the usual labels, where the caller gives none. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  human: 'What the agent knows about the person it talks to: names, preferences, facts worth remembering.',
  persona: 'Who the agent is: its character, its manner of speaking, and what guides its behavior.',
}

/** The body of a new block. On `/letta`, as that API does, a block of a usual label gets a description. */
export const withUsualDescription = ({ names }: Scope, body: CreateBlock): CreateBlock =>
  names === 'vendor' && body.description === undefined && Object.hasOwn(DESCRIPTIONS, body.label)
    ? { ...body, description: DESCRIPTIONS[body.label]! }
    : body
