/** The instant of a local time of the address, or of some milliseconds later; nothing for a text that is no time. */
export function instantOf(local: string, laterMs = 0): string | undefined {
  const time = Date.parse(local) + laterMs
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
