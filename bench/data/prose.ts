const WORDS = `the agent remembers what a person told it about their work and answers in plain words when something is
  missing it asks before it acts a tool returns a result or an error notes are kept short facts that changed are
  replaced dates names places numbers preferences projects deadlines travel invoices recipes music garden weather
  meetings travel billing support onboarding research summary review release customer archive folder memory`.split(
  /\s+/,
)

/** Gives a number in [0, 1) per call. */
export type Random = () => number

/** A source of numbers in [0, 1) that are the same in every run (Mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Prose of about `length` characters. */
export function prose(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)]} `
  return text.trimEnd()
}
