/** Text for a LIKE pattern in which `%`, `_` and `\` stand for themselves. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
