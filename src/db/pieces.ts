/** How much JSON travels in one statement, in characters, unless a single row is longer. */
const MOST = 4_000_000

/** Rows as JSON arrays, each short enough for one statement. */
export function* piecesOf(rows: readonly object[]): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (texts.length > 0 && length + text.length > MOST) {
      yield `[${texts.join()}]`
      texts = []
      length = 0
    }
    texts.push(text)
    length += text.length
  }
  if (texts.length > 0) yield `[${texts.join()}]`
}
