import { VERSION, type Versioned } from '../db/marks.ts'
import { newId } from '../lib/ids.ts'
import { lengthOf } from '../resources/blocks/blocks.ts'
import { type Block, DEFAULT_LIMIT } from '../resources/blocks/schema.ts'

/** A memory block, as the tools of a run see it. */
export interface MemoryBlock {
  id: string
  label: string
  value: string
  description: string
  limit: number | undefined
  readOnly: boolean
  /** The stored version; 0: the present step has made the block. */
  version: number
}

/** The fields of a block that tools change. */
export type BlockPatch = Partial<Pick<MemoryBlock, 'label' | 'value' | 'description'>>

/** A change that the commit of the present step stores. `callId` is the last call that made it. */
export interface BlockChange {
  callId: string
  /** Null: the block is detached. */
  patch: BlockPatch | null
}

/** The memory of an agent while it runs: its blocks by label, with the changes of the present step by the block's id. */
export interface Memory {
  blocks: Map<string, MemoryBlock>
  changed: Map<string, BlockChange>
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

/** An error of a tool that can't run as this server and its agent are set up. Of a direct run it is a 422. */
export class ToolSetupError extends ToolError {}

/** A block that an agent may change. Throws a ToolError for a label without a block, and for a block that is read-only. */
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

/** Throws a ToolError for a value beyond the limit of its block, in code points. */
function checkLimit({ label, limit }: MemoryBlock, value: string): void {
  const length = lengthOf(value)
  if (limit != null && length > limit) {
    throw new ToolError(
      `The memory block "${label}" holds ${limit} characters at most, and the new value has ${length}: shorten it.`,
    )
  }
}

/** The most characters of a label. */
const MAX_LABEL = 500

/** Throws a ToolError for a label that no block can have, or that another block has. */
function checkLabel({ blocks }: Memory, label: string): void {
  if (label === '' || label.length > MAX_LABEL || /\p{Cc}/u.test(label)) {
    throw new ToolError(
      `"${label.slice(0, MAX_LABEL)}" can't be a label: give 1 to ${MAX_LABEL} characters in one line.`,
    )
  }
  if (blocks.has(label)) throw new ToolError(`There is a memory block "${label}" already.`)
}

/** Changes a block. Throws a ToolError for a block that can't be changed, or can't have such a value or label. */
export function changeBlock(memory: Memory, label: string, patch: BlockPatch, callId: string): MemoryBlock {
  const block = writableBlock(memory, label)
  if (patch.value !== undefined) checkLimit(block, patch.value)
  if (patch.label !== undefined && patch.label !== label) checkLabel(memory, patch.label)
  const isChange = Object.entries(patch).some(([field, value]) => block[field as keyof BlockPatch] !== value)
  if (!isChange) return block
  const changed = { ...block, ...patch }
  // Blocks keep their order, whatever they are called.
  const blocks = [...memory.blocks.values()].map((one) => (one === block ? changed : one))
  memory.blocks = new Map(blocks.map((one) => [one.label, one]))
  memory.changed.set(block.id, { callId, patch: { ...memory.changed.get(block.id)?.patch, ...patch } })
  return changed
}

/** Sets the value of a block. Returns the value. Throws as `changeBlock`. */
export const setValue = (memory: Memory, label: string, value: string, callId: string): string =>
  changeBlock(memory, label, { value }, callId).value

/** Makes a block. Throws a ToolError for a label that is taken, or can't be one, and for a value beyond the limit. */
export function addBlock(
  memory: Memory,
  { label, value, description }: Required<BlockPatch>,
  callId: string,
): MemoryBlock {
  checkLabel(memory, label)
  const block = { id: newId('block'), label, value, description, limit: DEFAULT_LIMIT, readOnly: false, version: 0 }
  checkLimit(block, value)
  memory.blocks.set(label, block)
  memory.changed.set(block.id, { callId, patch: {} })
  return block
}

/** Detaches a block from the agent; the block itself remains. Throws a ToolError for a block that can't be changed. */
export function removeBlock(memory: Memory, label: string, callId: string): void {
  const { id, version } = writableBlock(memory, label)
  memory.blocks.delete(label)
  if (version === 0) memory.changed.delete(id)
  else memory.changed.set(id, { callId, patch: null })
}

/** Runs `work` on a memory: all of its changes happen or, when it throws, none. */
export function allOrNothing<T>(memory: Memory, work: () => T): T {
  const before = { blocks: new Map(memory.blocks), changed: new Map(memory.changed) }
  try {
    return work()
  } catch (error) {
    Object.assign(memory, before)
    throw error
  }
}
