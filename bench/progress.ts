/** Shows on standard error what is being done: one line that changes at a terminal, else a line each. */
export function createProgress(out: NodeJS.WriteStream = process.stderr) {
  let spent = 0
  let shown = ''
  // Who stops reading the progress doesn't stop the work.
  out.on('error', () => {})
  const show = (text: string) => {
    if (text === shown) return
    shown = text
    out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  return {
    show,
    /** A piece of work of known length, of `total` seconds in all. */
    work(text: string, seconds: number, total: number) {
      const percent = String(Math.floor((100 * spent) / total)).padStart(3)
      show(`${percent} %  ${text}  (about ${Math.max(1, Math.round(total - spent))} s left)`)
      spent += seconds
    },
    done() {
      if (out.isTTY && shown) out.write('\r\x1b[K')
    },
  }
}
