/** The JSON of one statement, in characters, unless a single row is longer. */
const MAX_CHARACTERS = 4_000_000

/** Rows as JSON arrays, each short enough for one statement. */
export function* jsonBatches(rows: readonly object[]): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (texts.length > 0 && length + text.length > MAX_CHARACTERS) {
      yield `[${texts.join()}]`
      texts = []
      length = 0
    }
    texts.push(text)
    length += text.length
  }
  if (texts.length > 0) yield `[${texts.join()}]`
}
