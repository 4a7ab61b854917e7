import type { Embedder } from './embedder.ts'

const DIMENSION = 512

/** Lengths of character n-grams of a word with marked ends: they bring forms and misspellings of a word near each other. */
const NGRAMS = [3, 4]

/** The weight of an n-gram, where a word has 1. */
const NGRAM_WEIGHT = 0.35

/** The texts that are embedded before other work of the process has its turn. */
const TEXTS_AT_ONCE = 16

const WORD = /[\p{L}\p{N}]+/gu

/** 32-bit FNV-1a (Fowler, Noll, Vo) over UTF-16 units, with the final mixing of MurmurHash3 so that all bits count. */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** The counts of words and of their n-grams, without regard to case and compatibility forms of characters. */
function countFeatures(text: string): { words: Map<string, number>; ngrams: Map<string, number> } {
  const words = new Map<string, number>()
  const ngrams = new Map<string, number>()
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) words.set(word, (words.get(word) ?? 0) + 1)
  for (const [word, count] of words) {
    const marked = `<${word}>`
    for (const length of NGRAMS) {
      for (let at = 0; at + length <= marked.length; at++) {
        const ngram = marked.slice(at, at + length)
        ngrams.set(ngram, (ngrams.get(ngram) ?? 0) + count)
      }
    }
  }
  return { words, ngrams }
}

/** Adds features to a vector. N-grams weigh less than words, so that long words don't outweigh short ones. */
function addFeatures(vector: Float64Array, features: Map<string, number>, weight: number, seed: number): void {
  for (const [feature, count] of features) {
    const at = hash(feature, seed)
    // The highest bit is the sign, the lowest nine the dimension: different bits of one hash.
    const sign = at >>> 31 === 0 ? 1 : -1
    vector[at & (DIMENSION - 1)]! += sign * weight * (1 + Math.log(count))
  }
}

/** The vector of one text: of length 1, or all zeros but the first number for a text without a word. */
export function lexicalVector(text: string): number[] {
  const vector = new Float64Array(DIMENSION)
  const { words, ngrams } = countFeatures(text)
  addFeatures(vector, words, 1, 0)
  addFeatures(vector, ngrams, NGRAM_WEIGHT, 0x9e3779b9)
  const length = Math.hypot(...vector)
  // The cosine with a zero vector isn't defined, so a text without words gets a direction of its own.
  if (length === 0) vector[0] = 1
  else for (let at = 0; at < DIMENSION; at++) vector[at]! /= length
  return Array.from(vector, (value) => Math.fround(value))
}

/**
 * The built-in model `cairn/lexical`: texts are near each other when they share words and parts of words. It is
 * lexical, not semantic: it knows nothing of meaning, and a synonym is just another word.
 *
 * The method is signed feature hashing (Weinberger, Dasgupta, Langford, Smola, Attenberg: Feature Hashing for Large
 * Scale Multitask Learning, ICML 2009) of words and character n-grams within words (Bojanowski, Grave, Joulin, Mikolov:
 * Enriching Word Vectors with Subword Information, TACL 2017), with sublinear term frequency `1 + ln(tf)` (Manning,
 * Raghavan, Schütze: Introduction to Information Retrieval, 2008, §6.4.1) and L2 norm. 512 dimensions. The same text
 * gives the same vector on every machine.
 */
export const lexical: Embedder = {
  dimension: DIMENSION,
  local: true,
  async embed(texts) {
    const vectors: number[][] = []
    for (const [at, text] of texts.entries()) {
      if (at > 0 && at % TEXTS_AT_ONCE === 0) await new Promise(setImmediate)
      vectors.push(lexicalVector(text))
    }
    return vectors
  },
}
