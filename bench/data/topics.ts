import { createRandom } from './prose.ts'

/** Texts of many topics: each topic has words of its own, so that the nearest texts to a query are more than chance. */

const SYLLABLES =
  'ba be bo da de di fa fi ga go ka ke ko la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  )
const TOPICS = 400
const WORDS_PER_TOPIC = 60
const COMMON_WORDS = 2_000
/** The shares of a text's words that are of its main topic, and of one other topic. */
const MAIN = 0.45
const OTHER = 0.2

export interface Topics {
  /** A text of `words` words, of the given topic or else of a random one. */
  text(words: number, topic?: number): string
}

/** A source of texts that are the same in every run. */
export function createTopics(seed: number): Topics {
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const word = () => Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join('')
  const common = Array.from({ length: COMMON_WORDS }, word)
  const topics = Array.from({ length: TOPICS }, () => Array.from({ length: WORDS_PER_TOPIC }, word))
  // Some words are used far more often than others, as in any language.
  const frequent = <T>(list: readonly T[]) => list[Math.floor(list.length * random() ** 3)]!
  return {
    text(words, topic = Math.floor(random() * TOPICS)) {
      const [main, other] = [topics[topic % TOPICS]!, pick(topics)]
      const of = (chance: number) => (chance < MAIN ? main : chance < MAIN + OTHER ? other : common)
      return Array.from({ length: words }, () => frequent(of(random()))).join(' ')
    },
  }
}
