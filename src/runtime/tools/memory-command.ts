import { addBlock, changeBlock, removeBlock, setValue, ToolError, writableBlock } from '../memory.ts'
import { firstText, optionalInteger, optionalText, text } from './arguments.ts'
import { insertLines, replaceOnce } from './edit-text.ts'
import type { Arguments, ToolContext } from './tool.ts'

/** The label in a path: `/memories/notes` is the block `notes`. */
const labelIn = (args: Arguments, name: string) =>
  text(args, name)
    .replace(/^\/?memories\//, '')
    .replace(/^\//, '')

const COMMANDS: Readonly<Record<string, (args: Arguments, context: ToolContext) => string>> = {
  create(args, { memory, callId }) {
    const value = optionalText(args, 'file_text') ?? ''
    const { label } = addBlock(
      memory,
      { label: labelIn(args, 'path'), value, description: text(args, 'description') },
      callId,
    )
    return `Made the memory block "${label}". You see it in your memory from the next message on.`
  },
  str_replace(args, { memory, callId }) {
    const label = labelIn(args, 'path')
    const [old, replacement] = [firstText(args, 'old_string', 'old_str'), firstText(args, 'new_string', 'new_str')]
    return setValue(memory, label, replaceOnce(label, writableBlock(memory, label).value, old, replacement), callId)
  },
  insert(args, { memory, callId }) {
    const label = labelIn(args, 'path')
    const inserted = insertLines(
      label,
      writableBlock(memory, label).value,
      text(args, 'insert_text'),
      optionalInteger(args, 'insert_line'),
    )
    return setValue(memory, label, inserted, callId)
  },
  delete(args, { memory, callId }) {
    const label = labelIn(args, 'path')
    removeBlock(memory, label, callId)
    return `Removed the memory block "${label}" from your memory.`
  },
  rename(args, { memory, callId }) {
    const description = optionalText(args, 'description')
    if (args.new_path == null) {
      const { label } = changeBlock(memory, labelIn(args, 'path'), { description: text(args, 'description') }, callId)
      return `Changed the description of the memory block "${label}".`
    }
    const old = labelIn(args, args.old_path == null ? 'path' : 'old_path')
    const { label } = changeBlock(
      memory,
      old,
      { label: labelIn(args, 'new_path'), ...(description !== undefined && { description }) },
      callId,
    )
    return `The memory block "${old}" is called "${label}" now.`
  },
}

/** Carries out a command of the tool `memory`. Throws a ToolError that names the commands. */
export function memoryCommand(args: Arguments, context: ToolContext): string {
  const name = text(args, 'command')
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new ToolError(`There is no command "${name}": give one of ${Object.keys(COMMANDS).join(', ')}.`)
  return command(args, context)
}
