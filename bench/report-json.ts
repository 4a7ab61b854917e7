import type { Report } from './report.ts'

const DIGITS: readonly (readonly [name: RegExp, digits: number])[] = [
  [/^(warm_start_ms|rss_mb)$/, 0],
  [/^(recall|search_p50|insert)|ratio/, 3],
  [/_ms$/, 2],
  [/_rps$|^rps$/, 1],
]

/** The value of a field, rounded to the digits that are significant for it. */
function rounded(name: string, value: unknown): unknown {
  const digits = DIGITS.find(([pattern]) => pattern.test(name))?.[1]
  return typeof value === 'number' && digits !== undefined ? Number(value.toFixed(digits)) : value
}

/** The report as JSON text, with rounded figures. */
export const toJson = (report: Report): string => `${JSON.stringify(report, rounded, 2)}\n`
