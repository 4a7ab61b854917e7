import { randomInt } from 'node:crypto'
import { MAX_NAME_LENGTH } from './schema.ts'

const ADJECTIVES =
  `Able Amber Brave Bright Calm Clever Copper Curious Eager Early Fair Gentle Golden Happy Honest Humble
Jolly Keen Kind Lively Lucky Merry Noble Patient Proud Quick Quiet Silver Steady Swift Tidy Warm`.split(/\s+/)

const NOUNS = `Badger Beacon Brook Cedar Comet Crane Falcon Fern Finch Harbor Heron Juniper Lantern Lark Maple Meadow
Otter Owl Pebble Pine Quill Raven River Robin Sparrow Spruce Summit Thistle Trail Walnut Willow Wren`.split(/\s+/)

/** A random name for an agent without one, such as `AmberHeron`. Not unique. */
export function randomName(): string {
  return `${ADJECTIVES[randomInt(ADJECTIVES.length)]}${NOUNS[randomInt(NOUNS.length)]}`
}

/** `name` with `suffix` after it. A name that leaves no room for the suffix is shortened, at whole characters. */
export const suffixedName = (name: string, suffix: string) =>
  [...name].slice(0, MAX_NAME_LENGTH - suffix.length).join('') + suffix
