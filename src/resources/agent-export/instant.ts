const ZONED = /(Z|[+-]\d\d:\d\d)$/i

/** The instant that an ISO 8601 text in a file means, of UTC where the text has no zone. Undefined for any other text. */
export function parseInstant(text: string): Date | undefined {
  const iso = text.trim().replace(' ', 'T')
  const instant = new Date(ZONED.test(iso) ? iso : `${iso}Z`)
  return /^\d{4}-\d\d-\d\dT/.test(iso) && instant.getTime() >= 0 ? instant : undefined
}
