const FENCE = '"""'

/**
 * Collects the lines of a message. A line ends it, unless it ends with `\`, or lies between lines of `"""`, or was pasted with
 * others: after those, an empty line ends it.
 */
export function createMessageLines() {
  let lines: string[] = []
  let mode: 'line' | 'fence' | 'paste' = 'line'
  return {
    isEmpty: () => lines.length === 0 && mode === 'line',
    clear() {
      lines = []
      mode = 'line'
    },
    /** Adds lines that came at once; `isCut`: the last of what came has no end yet. Returns the message once it is whole. */
    add(arrived: readonly string[], isCut = false): string | undefined {
      if (mode === 'line' && (arrived.length > 1 || isCut)) mode = arrived[0]?.trim() === FENCE ? 'line' : 'paste'
      for (const line of arrived) {
        if (mode !== 'paste' && line.trim() === FENCE) {
          if (mode === 'fence') return lines.join('\n')
          mode = 'fence'
        } else if (mode === 'paste' && line === '' && arrived.length === 1) {
          return lines.join('\n')
        } else if (mode === 'line' && line.endsWith('\\')) {
          lines.push(line.slice(0, -1))
        } else {
          lines.push(line)
          if (mode === 'line') return lines.join('\n')
        }
      }
      return undefined
    },
  }
}
