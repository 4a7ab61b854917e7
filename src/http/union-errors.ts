import type { FastifySchemaValidationError } from 'fastify'

/** A validation error of Ajv with `verbose`. */
export type Invalid = FastifySchemaValidationError & {
  schemaPath: string
  params: Record<string, unknown>
  parentSchema?: { title?: string; properties?: object; type?: string | string[] }
  data?: unknown
}

const isNullError = ({ keyword, params }: Invalid) => keyword === 'type' && params.type === 'null'

/** The errors of a variant as a number: the lower, the likelier the caller meant the variant. */
const mismatch = (errors: readonly Invalid[]) =>
  // A value that isn't null doesn't mean the variant null; an unequal tag rules a variant out.
  errors.reduce((sum, error) => sum + (isNullError(error) ? 1000 : error.keyword === 'const' ? 100 : 1), 0)

/** The errors of the variants of a union, by variant. */
const branchesOf = (union: Invalid, errors: readonly Invalid[]) =>
  Map.groupBy(errors, (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0])

/** The errors of the variant that the caller most likely meant; undefined where a variant is a reference. */
function likeliestVariant(union: Invalid, errors: readonly Invalid[]): Invalid[] | undefined {
  const branches = branchesOf(union, errors)
  // A variant without errors of its own failed inside the shape of its reference, whose errors have another path.
  const variants = (union as { schema?: unknown }).schema
  if (Array.isArray(variants) && variants.some((_, index) => !branches.has(String(index)))) return undefined
  const [likeliest = []] = [...branches.values()].sort((a, b) => mismatch(a) - mismatch(b))
  const tags = errors.filter(({ keyword }) => keyword === 'const')
  if (tags.length < 2 || !likeliest.some(({ keyword }) => keyword === 'const')) return likeliest
  const allowedValues = [...new Set(tags.map(({ params }) => params.allowedValue))]
  return [{ ...tags[0]!, keyword: 'enum', params: { allowedValues } }]
}

/** Reduces the errors of each union to those of one variant: the variant with the caller's tag, else the nearest. */
export function reduceUnions(errors: readonly Invalid[]): Invalid[] {
  let left = [...errors]
  const unions = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .sort((a, b) => b.schemaPath.length - a.schemaPath.length)
  for (const union of unions) {
    const inside = (error: Invalid) =>
      error !== union &&
      error.schemaPath.startsWith(`${union.schemaPath}/`) &&
      error.instancePath.startsWith(union.instancePath)
    const likeliest = likeliestVariant(union, left.filter(inside))
    const kept = likeliest ?? []
    left = left.filter((error) => error !== union && (!inside(error) || kept.includes(error)))
    for (const error of kept) if (!left.includes(error)) left.push(error)
    if (likeliest?.length === 0) left.push(union)
  }
  // "must be null" says nothing where the value has another error.
  const hasOther = (error: Invalid) =>
    left.some((other) => other !== error && !isNullError(other) && other.instancePath.startsWith(error.instancePath))
  return left.filter((error) => !isNullError(error) || !hasOther(error))
}
