export type Progress = ReturnType<typeof createProgress>

/** Shows the current work on standard error: one changing line at a terminal, otherwise a line for each text. */
export function createProgress(out: NodeJS.WriteStream = process.stderr) {
  let spent = 0
  let shown = ''
  // A closed reader of the progress doesn't stop the work.
  out.on('error', () => {})
  const show = (text: string) => {
    if (text === shown) return
    shown = text
    out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  return {
    show,
    /** Shows work of known length, as a share of `total` seconds. */
    work(text: string, seconds: number, total: number) {
      const percent = String(Math.floor((100 * spent) / total)).padStart(3)
      show(`${percent} %  ${text}  (about ${Math.max(1, Math.round(total - spent))} s left)`)
      spent += seconds
    },
    /** Clears the line at a terminal. */
    done() {
      if (out.isTTY && shown) out.write('\r\x1b[K')
      shown = ''
    },
  }
}
