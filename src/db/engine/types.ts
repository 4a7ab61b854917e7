import pg, { type CustomTypesConfig } from 'pg'

const { INT8, TIMESTAMPTZ } = pg.types.builtins

/** PostgreSQL's `2026-11-21 08:30:53.12+00` as the API writes it: UTC, milliseconds, `Z`. */
function toInstant(text: string): string {
  if (text.length > 26 || text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** Equal values on both engines: 64-bit integers as numbers, instants as the API writes them. */
export const COLUMN_TYPES: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return Number
    if (oid === TIMESTAMPTZ) return toInstant
    return pg.types.getTypeParser(oid as number, format as 'text')
  },
}
