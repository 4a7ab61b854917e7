import { inBody, invalid } from '../../lib/errors.ts'
import { lengthOf } from '../blocks/blocks.ts'
import type { TemplateBlock } from './schema.ts'

/** `{{name}}`, with spaces or without: a name has no spaces and no braces. */
const VARIABLE = /\{\{[ \t]*([^\s{}]+)[ \t]*\}\}/g

/** The most that filling may make of the blocks of one agent, in characters: as much as a request can hold anyway. */
const MOST = 8 * 1024 * 1024

/** The names of the variables in these blocks, each once, in the order they appear. */
export const variablesIn = (blocks: readonly Pick<TemplateBlock, 'value'>[]): string[] => [
  ...new Set(blocks.flatMap(({ value }) => [...value.matchAll(VARIABLE)].map((match) => match[1]!))),
]

/**
 * The blocks with `{{variables}}` in their values replaced, once: variables inside a replacement stay.
 * A variable without a value stays visible, and a later migration can fill it. 422 when a value would be longer than its
 * block's limit.
 */
export function fill(blocks: readonly TemplateBlock[], variables: Record<string, string>): TemplateBlock[] {
  let room = MOST
  return blocks.map((block) => {
    const { label, value, limit } = block
    let length = value.length
    // Counted before it is made: a short value can ask for more text than there is memory.
    for (const [whole, name] of value.matchAll(VARIABLE)) {
      if (Object.hasOwn(variables, name!)) length += variables[name!]!.length - whole.length
    }
    room -= length
    const filled =
      room < 0
        ? undefined
        : value.replace(VARIABLE, (whole, name: string) => (Object.hasOwn(variables, name) ? variables[name]! : whole))
    if (filled === undefined || lengthOf(filled) > limit) {
      const most = filled === undefined ? 'a request may' : `its limit of ${limit} characters`
      throw invalid(inBody('memory_variables', `make the block "${label}" hold more than ${most}`))
    }
    return { ...block, value: filled }
  })
}
