import { type Compared, type State, unnamed } from './compare.ts'
import type { Facts } from './facts.ts'
import { ABSENT, DIFFERENT, LIMITS, type Reasons } from './reasons.ts'

const STATES: readonly State[] = ['identical', 'superset', 'differs', 'absent']

const HEAD = `# What is compatible with the Letta API

Every operation of the last published OpenAPI document of the Letta API, beside the one that this server has under \`/letta\`.
How to move: [Moving from a Letta server](moving.md).

| State | Meaning |
|---|---|
| identical | the same parameters and fields |
| superset | all of theirs, and more |
| differs | what is named first is missing, or isn't the same; the reason follows it |
| absent | not here: 404 or 405; with the reason or the plan |

Compared are the names of query parameters and of the fields of bodies and answers, however deep, the values these may have,
and what a request must hold. \`[]\` stands for the items of an array. Errors are different throughout, on purpose:
[Errors](api.md#errors). Parameters and fields that this server doesn't know are passed over under \`/letta\`.
"Later" is planned, and without a date.
`

type Reason = (text: string) => string

/** Finds reasons, and knows in the end which were never needed. */
function reasonsOf(reasons: Reasons): { reason: Reason; unused: () => string[] } {
  const used = new Set<RegExp>()
  return {
    reason(text) {
      const found = reasons.find(([pattern]) => pattern.test(text))
      if (!found) throw new Error(`no reason in scripts/compatibility/reasons.ts fits: ${text}`)
      used.add(found[0])
      return found[1]
    },
    unused: () => reasons.filter(([pattern]) => !used.has(pattern)).map(([pattern]) => String(pattern)),
  }
}

const code = (text: string) => `\`${text}\``
const resourceOf = (operation: string) => /\/v1\/([\w-]+)/.exec(operation)![1]!

/** `body: a`, `body: b` → "body `a`, `b`". */
function byPlace(differences: readonly string[]): string {
  const places = Map.groupBy(differences, (difference) => difference.slice(0, difference.indexOf(':')))
  return [...places]
    .map(([place, all]) => {
      const names = all.map((difference) => difference.slice(place.length + 2))
      return `${place} ${[...new Set(names.map(named))].join(', ')}`
    })
    .join('; ')
}

/** A name as code, then its facts in words. For a value among many of one field, the name of the field. */
function named(name: string): string {
  const [path, ...said] = name.split(' ')
  if (path === 'every') return name
  const shown = path!.includes('=') ? path!.slice(path!.lastIndexOf('.', path!.indexOf('=')) + 1) : path!
  return [code(shown), ...said].join(' ')
}

function difference({ operation, state, lacks, more }: Compared, absent: Reason, different: Reason): string {
  if (state === 'absent') return absent(operation)
  const because = Map.groupBy(lacks, (lack) => different(`${operation} ${lack}`))
  const parts = [...because].map(([why, all]) => `${byPlace(all)}: ${why}`)
  const limit = LIMITS[operation]
  if (limit) parts.push(limit)
  if (more.length > 0) parts.push(`more: ${byPlace(more)}`)
  return parts.join('. ')
}

function countOf(compared: readonly Compared[]): string {
  return STATES.map((wanted) => compared.filter(({ state }) => state === wanted).length).join(' | ')
}

const HEADINGS = STATES.join(' | ')

/** The operations with their limits. Throws for a limit of an unknown operation. */
export function limited(compared: readonly Compared[]): Compared[] {
  const here = compared.filter(({ state }) => state !== 'absent').map(({ operation }) => operation)
  const lost = Object.keys(LIMITS).filter((operation) => !here.includes(operation))
  if (lost.length > 0) throw new Error(`scripts/compatibility/reasons.ts limits what isn't here: ${lost.join(', ')}`)
  return compared.map((one) => (one.operation in LIMITS ? { ...one, state: 'differs' } : one))
}

/** docs/compatibility.md. Throws where something has no reason, or a reason fits nothing. */
export function pageOf(found: readonly Compared[], ours: Facts): string {
  const compared = limited(found)
  const absent = reasonsOf(ABSENT)
  const different = reasonsOf(DIFFERENT)
  const groups = [...Map.groupBy(compared, ({ operation }) => resourceOf(operation))]
  const tables = groups.map(([resource, all]) => {
    const rows = all.map(
      (one) => `| ${code(one.operation)} | ${one.state} | ${difference(one, absent.reason, different.reason)} |`,
    )
    return [`## ${resource}`, '', '| Operation | State | Difference |', '|---|---|---|', ...rows, ''].join('\n')
  })
  const unused = [...absent.unused(), ...different.unused()]
  if (unused.length > 0) throw new Error(`reasons in scripts/compatibility/reasons.ts fit nothing: ${unused.join(' ')}`)

  const theirs = new Set(compared.map(({ operation }) => unnamed(operation)))
  const own = Object.keys(ours.operations).filter((operation) => !theirs.has(unnamed(operation)))
  const counts = groups.map(([resource, all]) => `| [${resource}](#${resource}) | ${countOf(all)} |`)
  return [
    HEAD,
    `| Of ${compared.length} operations | ${HEADINGS} |`,
    '|---|---|---|---|---|',
    `| all | ${countOf(compared)} |`,
    ...counts,
    '',
    ...tables,
    '## Only here',
    '',
    'Operations that the Letta API’s document hasn’t:',
    '',
    ...own.map((operation) => `- ${code(operation)}`),
    '',
  ].join('\n')
}
