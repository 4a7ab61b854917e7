import { VERSION, type Versioned } from '../db/marks.ts'
import type { Block } from '../resources/blocks/schema.ts'

/** A memory block, as the tools of a run see it. */
export interface MemoryBlock {
  id: string
  label: string
  value: string
  description: string
  limit: number | undefined
  readOnly: boolean
  version: number
}

/** The memory of an agent while it runs: its blocks by label, with the changes of the present step. */
export interface Memory {
  blocks: Map<string, MemoryBlock>
  /** The labels of the blocks that the present step has changed, with the id of the last call that did. */
  changed: Map<string, string>
}

/** The memory of an agent with these blocks. Blocks without a label have their id as one. */
export function createMemory(blocks: readonly (Block & Versioned)[]): Memory {
  const entries = blocks.map(({ id, label, value, description, limit, read_only, [VERSION]: version }) => {
    const block = {
      id: id!,
      label: label ?? id!,
      value,
      description: description ?? '',
      limit,
      readOnly: read_only ?? false,
      version: version!,
    }
    return [block.label, block] as const
  })
  return { blocks: new Map(entries), changed: new Map() }
}

/** An error of a tool: the model reads its message, and the run goes on. */
export class ToolError extends Error {}

/** The block of a label that an agent may change. Throws a ToolError. */
export function writableBlock({ blocks }: Memory, label: string): MemoryBlock {
  const block = blocks.get(label)
  if (!block) {
    throw new ToolError(
      `There is no memory block "${label}". The blocks are: ${[...blocks.keys()].join(', ') || 'none'}.`,
    )
  }
  if (block.readOnly) throw new ToolError(`The memory block "${label}" is read-only.`)
  return block
}

/** Changes the value of a block. Throws a ToolError for a block that can't be changed, and for a value beyond its limit. */
export function setValue(memory: Memory, label: string, value: string, callId: string): void {
  const block = writableBlock(memory, label)
  const length = Array.from(value).length
  if (block.limit != null && length > block.limit) {
    throw new ToolError(
      `The memory block "${label}" holds ${block.limit} characters at most, and the new value has ${length}: shorten it.`,
    )
  }
  if (value === block.value) return
  block.value = value
  memory.changed.set(label, callId)
}
