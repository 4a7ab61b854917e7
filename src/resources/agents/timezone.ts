import { inBody, invalid } from '../../lib/errors.ts'

/** The default time zone. */
export const TIMEZONE = 'UTC'

/** 422 for a name that isn't an IANA time zone's. */
export function checkTimezone(timezone: string | null | undefined): void {
  if (timezone == null) return
  try {
    if (!/^[A-Za-z]/.test(timezone)) throw new RangeError()
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw invalid(inBody('timezone', `"${timezone}" is not an IANA time zone`))
  }
}
