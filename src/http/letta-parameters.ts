import type { FastifyRequest } from 'fastify'
import { NEUTRAL_FIELDS, NEUTRAL_VALUES } from '../lib/vendor-names.ts'
import { isLetta } from './letta.ts'
import type { Schema } from './translation.ts'

/** The neutral name of a parameter or a form's field; undefined for a name that the schema doesn't know. */
function knownName(sent: string, { properties = {} }: Schema): string | undefined {
  const bare = sent.replace(/\[\]$/, '')
  const name = Object.hasOwn(NEUTRAL_FIELDS, bare) ? NEUTRAL_FIELDS[bare]! : bare
  return Object.hasOwn(properties, name) ? name : undefined
}

/** The route's name of a form's field; on the surface for Letta clients, undefined for an unknown name. */
export const formName = (request: FastifyRequest, sent: string): string | undefined =>
  isLetta(request) ? knownName(sent, request.routeOptions.schema!.body as Schema) : sent

/** A limit that is at most the schema's maximum: the retired server has no maximum. Text that is no number stays. */
const clamped = (text: string, { maximum }: Schema) =>
  maximum !== undefined && /^\d+$/.test(text) && Number(text) > maximum ? String(maximum) : text

/** A query string in neutral names, without the parameters that the route doesn't know. */
export function neutralQuery(query: Record<string, string | string[]>, known: Schema) {
  const parameters = Object.entries(query).flatMap(([sent, value]) => {
    const name = knownName(sent, known)
    if (name === undefined) return []
    const schema = known.properties![name]!
    const neutral = (text: string) => ((schema.enum ?? schema.items?.enum) ? (NEUTRAL_VALUES[text] ?? text) : text)
    // One parameter may list ids or values of enumerations, with commas between them.
    const { enum: allowed, pattern } = schema.items ?? {}
    const texts = [value].flat().flatMap((text) => (allowed || pattern ? text.split(',') : text))
    const neutrals = texts.map(name === 'limit' ? (text) => clamped(text, schema) : neutral)
    return [[name, neutrals.length === 1 ? neutrals[0]! : neutrals]]
  })
  return Object.fromEntries(parameters)
}
