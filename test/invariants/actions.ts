import fc from 'fast-check'

/** The tools of the agents, those of the caller, and one that nobody has. */
const TOOLS = ['memory_insert', 'once', 'repeatable', 'guarded', 'ask_user', 'nobody'] as const
export type ToolName = (typeof TOOLS)[number]

/** An answer of the model. `refused`: an error instead of it; `broken`: it breaks off; `cut`: it ends within its last call. */
export interface Planned {
  reasoning: boolean
  text: 'none' | 'short' | 'long'
  calls: ToolName[]
  /** Whether the calls have the ids of earlier ones, as some local models give them. */
  sameIds: boolean
  end: 'whole' | 'cut' | 'refused' | 'broken'
}

/** What happens while a run is at work: at a call of the model, within its answer, or at a call of a tool. */
export interface Interruption {
  at: 'model' | 'answer' | 'tool'
  nth: number
  by: 'kill' | 'cancel' | 'message'
}

interface Send {
  /** The model's answers. Behind them, it says that it is done. */
  answers: Planned[]
  server: 0 | 1
  way: 'blocking' | 'stream' | 'background'
  interruption?: Interruption | undefined
}

export type Action =
  | ({ do: 'send'; count: 1 | 3; image: boolean; deny: boolean; model?: number | undefined; maxSteps: number } & Send)
  | ({ do: 'answer'; how: 'approve' | 'deny' | 'mixed' | 'part' | 'unknown' | 'twice'; andSay: boolean } & Send)
  | { do: 'again' | 'cancel' | 'expire' | 'reset' | 'summarize' | 'fork' }
  | { do: 'model'; model: number }
  | { do: 'window'; tokens: number }

/** A thread, and what is done to it. */
export interface Sequence {
  place: 'agent' | 'conversation'
  model: number
  actions: Action[]
}

const weighted = <T>(...choices: [weight: number, value: T][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const planned: fc.Arbitrary<Planned> = fc.record({
  reasoning: fc.boolean(),
  text: weighted([3, 'none'], [3, 'short'], [1, 'long']),
  calls: fc.array(fc.constantFrom(...TOOLS), { maxLength: 3 }),
  sameIds: weighted([4, false], [1, true]),
  end: weighted<Planned['end']>([20, 'whole'], [3, 'cut'], [1, 'refused'], [1, 'broken']),
})

const interruption: fc.Arbitrary<Interruption> = fc.record({
  at: fc.constantFrom('model', 'answer', 'tool'),
  nth: fc.integer({ min: 0, max: 2 }),
  by: weighted([3, 'kill'], [2, 'cancel'], [1, 'message']),
})

const send = {
  answers: fc.array(planned, { maxLength: 3 }),
  server: fc.constantFrom(0, 1),
  way: fc.constantFrom('blocking', 'stream', 'background'),
  interruption: fc.option(interruption, { nil: undefined, freq: 2 }),
} as const

/** Actions on a thread, with this many models to choose from. */
const actionsWith = (models: number): fc.Arbitrary<Action> => {
  const model = fc.integer({ min: 0, max: models - 1 })
  const sends = fc.record({
    do: fc.constant('send' as const),
    count: weighted<1 | 3>([5, 1], [1, 3]),
    image: weighted([5, false], [1, true]),
    deny: weighted([3, false], [1, true]),
    model: fc.option(model, { nil: undefined, freq: 3 }),
    maxSteps: weighted([4, 20], [1, 1]),
    ...send,
  })
  const answers = fc.record({
    do: fc.constant('answer' as const),
    how: weighted<'approve' | 'deny' | 'mixed' | 'part' | 'unknown' | 'twice'>(
      [3, 'approve'],
      [2, 'deny'],
      [2, 'mixed'],
      [1, 'part'],
      [1, 'unknown'],
      [1, 'twice'],
    ),
    andSay: weighted([3, false], [1, true]),
    ...send,
  })
  const others = fc.record({
    do: weighted<'again' | 'cancel' | 'expire' | 'reset' | 'summarize' | 'fork'>(
      [3, 'again'],
      [2, 'cancel'],
      [2, 'expire'],
      [1, 'reset'],
      [2, 'summarize'],
      [1, 'fork'],
    ),
  })
  const changes = fc.oneof(
    fc.record({ do: fc.constant('model' as const), model }),
    fc.record({ do: fc.constant('window' as const), tokens: fc.constantFrom(7_000, 100_000) }),
  )
  return fc.oneof(
    { weight: 6, arbitrary: sends },
    { weight: 4, arbitrary: answers },
    { weight: 3, arbitrary: others },
    { weight: 1, arbitrary: changes },
  )
}

/** Sequences of actions on one thread, with this many models to choose from. */
export const sequences = (models: number): fc.Arbitrary<Sequence> =>
  fc.record({
    place: weighted<Sequence['place']>([2, 'agent'], [1, 'conversation']),
    model: fc.integer({ min: 0, max: models - 1 }),
    actions: fc.array(actionsWith(models), { minLength: 1, maxLength: 10 }),
  })
