import { readFileSync } from 'node:fs'
import { FIELDS, VALUES } from '../../src/lib/vendor-names.ts'
import { type Facts, factsOf, type Name, type Names, namesOf } from './facts.ts'

/** The facts of the retired server's API, drawn by draw.ts. */
export const UPSTREAM = new URL('upstream.json', import.meta.url)
const OURS = new URL('../../openapi.json', import.meta.url)

export type State = 'identical' | 'superset' | 'differs' | 'absent'

export interface Compared {
  /** Method and path, as upstream writes them. */
  operation: string
  state: State
  /** Names that only upstream has, and names that only this server requires: `body: name`. */
  lacks: string[]
  /** Names that only this server has. */
  more: string[]
}

const PLACES = [
  ['query', '?'],
  ['body', '>'],
  ['answer', '<'],
] as const

/** A method and path as the router sees them: without the names of parameters and the last slash. */
export const unnamed = (operation: string) => operation.replace(/\{\w+\}/g, '{}').replace(/\/$/, '')

/** Names as they are on the surface for clients of the Letta API. */
const vendorNames = (names: Names): Names =>
  new Map(
    [...names].map(([path, name]) => [
      path.replace(/\w+/g, (field) => FIELDS[field] ?? field),
      { ...name, values: name.values.map((value) => VALUES[value] ?? value) },
    ]),
  )

const parentOf = (path: string) => (path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, path.lastIndexOf('.')))
const isRoot = (path: string) => !path.includes('.') && !path.endsWith('[]')

function ancestorsOf(path: string): string[] {
  const parent = isRoot(path) ? '' : parentOf(path)
  return parent === '' ? [] : [parent, ...ancestorsOf(parent)]
}

const listed = ({ values, free }: Name) => (free || values.length === 0 ? undefined : values)

/** The difference of `all` and `some`: the outermost names, and values of names that both have. */
function beyond(all: Names, some: Names): string[] {
  const gone = (path: string) => !some.has(path) && !ancestorsOf(path).some((ancestor) => some.get(ancestor)?.open)
  return [...all].flatMap(([path, name]) => {
    const known = some.get(path)
    if (!known) return gone(path) && !ancestorsOf(path).some((at) => all.has(at) && gone(at)) ? [path] : []
    const allowed = listed(known)
    return allowed ? (listed(name) ?? []).filter((value) => !allowed.includes(value)).map((v) => `${path}=${v}`) : []
  })
}

/** The names that a request must have only here, and those it may have only there. */
function stricter(theirs: Names, ours: Names): string[] {
  return [...ours].flatMap(([path, name]) => {
    const known = theirs.get(path)
    const asked = name.required && !known?.required && ancestorsOf(path).every((at) => theirs.has(at))
    const only = known && !known.open && !listed(known) ? listed(name) : undefined
    return [...(asked ? [`${path} is required`] : []), ...(only ? [`${path} takes listed values only`] : [])]
  })
}

const isKind = (path: string) => path.startsWith('(')
const fieldsOf = (names: Names): Names => new Map([...names].filter(([path]) => path !== '' && !isKind(path)))

function compareAt(place: string, theirs: Names, ours: Names): Pick<Compared, 'lacks' | 'more'> {
  // Operations without an upstream description can't be compared.
  const undescribed = place !== 'query' && theirs.get('')?.open === true
  const kinds = [...theirs.keys()].filter((path) => isKind(path) && path !== '(null)' && !ours.has(path))
  const [names, own] = [fieldsOf(theirs), fieldsOf(ours)]
  const nothing = place === 'answer' && names.size > 0 && own.size === 0
  const fields = nothing ? ['every field'] : beyond(names, own)
  const faults = place === 'answer' ? fields : [...fields, ...stricter(names, own)]
  const lacks = undescribed ? kinds : [...kinds, ...faults]
  return {
    lacks: lacks.map((name) => `${place}: ${name}`),
    more: undescribed ? [] : beyond(own, names).map((name) => `${place}: ${name}`),
  }
}

export const upstreamFacts = (): Facts => JSON.parse(readFileSync(UPSTREAM, 'utf8'))
export const ownFacts = (): Facts => factsOf(JSON.parse(readFileSync(OURS, 'utf8')))

/** Every operation of `upstream` beside the one of `ours` with its method and path. */
export function compare(upstream: Facts, ours: Facts): Compared[] {
  const own = new Map(Object.keys(ours.operations).map((operation) => [unnamed(operation), operation]))
  return Object.keys(upstream.operations).map((operation) => {
    const match = own.get(unnamed(operation))
    if (match === undefined) return { operation, state: 'absent', lacks: [], more: [] }
    const parts = PLACES.map(([place, mark]) =>
      compareAt(place, namesOf(upstream, operation, mark), vendorNames(namesOf(ours, match, mark))),
    )
    const lacks = parts.flatMap((part) => part.lacks)
    const more = parts.flatMap((part) => part.more)
    const state = lacks.length > 0 ? 'differs' : more.length > 0 ? 'superset' : 'identical'
    return { operation, state, lacks, more }
  })
}
