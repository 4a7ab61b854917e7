import { FIELDS, VALUES } from '../../lib/vendor-names.ts'

// Other programs read the format, too: a file has the names that they know.

/** The vendor's name of an enumerated value. */
export const vendorValue = (value: string) => VALUES[value] ?? value

/** A configuration with the vendor's names of its fields. */
export const vendorKeys = (config: object) =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [FIELDS[key] ?? key, value]))
