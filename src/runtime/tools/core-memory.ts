import { addBlock, setValue, ToolError, writableBlock } from '../memory.ts'
import { firstText, optionalInteger, optionalText, text } from './arguments.ts'
import { insertLines, refuseLineNumbers, replaceOnce } from './edit-text.ts'
import { memoryCommand } from './memory-command.ts'
import { patchMemory } from './patch-memory.ts'
import type { Arguments, BuiltinTool, ToolContext } from './tool.ts'

/** Sets the whole value of a block, which is made where the agent has none of this label. Returns the value. */
function rethink(args: Arguments, { memory, callId }: ToolContext, label: string): string {
  const value = text(args, 'new_memory')
  refuseLineNumbers('new_memory', value)
  if (memory.blocks.has(label)) return setValue(memory, label, value, callId)
  return addBlock(memory, { label, value, description: '' }, callId).value
}

/** The tools that change memory blocks. Each returns the new value of its block. */
export const CORE_MEMORY_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  core_memory_append(args, { memory, callId }) {
    const label = text(args, 'label')
    return setValue(memory, label, `${writableBlock(memory, label).value}\n${text(args, 'content')}`, callId)
  },
  core_memory_replace(args, { memory, callId }) {
    const label = text(args, 'label')
    const old = text(args, 'old_content')
    const { value } = writableBlock(memory, label)
    if (old === '' || !value.includes(old)) {
      throw new ToolError(`The memory block "${label}" does not have the text "${old}".`)
    }
    return setValue(
      memory,
      label,
      value.replaceAll(old, () => optionalText(args, 'new_content') ?? ''),
      callId,
    )
  },
  memory_replace(args, { memory, callId }) {
    const label = text(args, 'label')
    const [old, replacement] = [firstText(args, 'old_string', 'old_str'), firstText(args, 'new_string', 'new_str')]
    return setValue(memory, label, replaceOnce(label, writableBlock(memory, label).value, old, replacement), callId)
  },
  memory_insert(args, { memory, callId }) {
    const label = text(args, 'label')
    const { value } = writableBlock(memory, label)
    const inserted = firstText(args, 'new_string', 'new_str')
    return setValue(memory, label, insertLines(label, value, inserted, optionalInteger(args, 'insert_line')), callId)
  },
  memory_apply_patch: (args, { memory, callId }) =>
    patchMemory(memory, text(args, 'label'), text(args, 'patch'), callId),
  memory: memoryCommand,
  memory_rethink: (args, context) => rethink(args, context, text(args, 'label')),
  rethink_memory: (args, context) => rethink(args, context, text(args, 'target_block_label')),
  rethink_user_memory: (args, context) => rethink(args, context, 'human'),
  memory_finish_edits: () => 'None',
  finish_rethinking_memory: () => 'None',
  send_message: () => 'Sent message successfully.',
}
