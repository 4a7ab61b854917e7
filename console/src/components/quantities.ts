const number = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 })
const SIZES = ['B', 'kB', 'MB', 'GB', 'TB']

/** `12,345`; a dash where there is no number. */
export const formatNumber = (value: number | undefined | null) => (value == null ? '–' : number.format(value))

/** `12.3K`; a dash where there is no number. */
export const formatCompact = (value: number | undefined | null) => (value == null ? '–' : compact.format(value))

/** US dollars; a dash where the price isn't known. */
export const formatCost = (value: number | undefined | null) => (value == null ? '–' : money.format(value))

/** A duration in nanoseconds, in the unit that suits it; a dash where there is none. */
export function formatDuration(nanoseconds: number | undefined | null): string {
  if (nanoseconds == null) return '–'
  const ms = nanoseconds / 1e6
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** A number of bytes, in the unit that suits it. */
export function formatBytes(bytes: number | undefined | null): string {
  if (bytes == null) return '–'
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1)
  return `${(bytes / 1000 ** power).toFixed(power === 0 || bytes >= 100 * 1000 ** power ? 0 : 1)} ${SIZES[power]}`
}
