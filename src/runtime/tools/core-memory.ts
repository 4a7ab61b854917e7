import { setValue, ToolError, writableBlock } from '../memory.ts'
import { optionalInteger, text } from './arguments.ts'
import type { Arguments, BuiltinTool, ToolContext } from './tool.ts'

/** The numbers of lines that some prompts show before the lines of a block. */
const LINE_NUMBER = /(^|\n)\s*Line \d+: |(^|\n)\s*\d+→ /

/** Throws a ToolError for a text that repeats the line numbers of the prompt. */
function refuseLineNumbers(name: string, value: string): void {
  if (LINE_NUMBER.test(value)) {
    throw new ToolError(
      `The argument "${name}" has line numbers: they are shown in the prompt, and belong to no value.`,
    )
  }
}

const occurrences = (value: string, part: string) => value.split(part).length - 1

/** The numbers of the lines on which a part of a value begins. */
const linesOf = (value: string, part: string) => {
  const lines: number[] = []
  for (let at = value.indexOf(part); at !== -1; at = value.indexOf(part, at + part.length)) {
    lines.push(value.slice(0, at).split('\n').length)
  }
  return lines
}

/** Replaces a text that occurs exactly once. Returns the new value. Throws a ToolError. */
function replaceOnce(context: ToolContext, label: string, old: string, replacement: string): string {
  const { memory, callId } = context
  refuseLineNumbers('old_string', old)
  refuseLineNumbers('new_string', replacement)
  const { value } = writableBlock(memory, label)
  const count = old === '' ? 0 : occurrences(value, old)
  if (count === 0) {
    throw new ToolError(`Nothing was replaced: the memory block "${label}" does not have the text "${old}".`)
  }
  if (count > 1) {
    throw new ToolError(
      `Nothing was replaced: the memory block "${label}" has the text "${old}" ${count} times, on the lines ` +
        `${linesOf(value, old).join(', ')}. Give more of the text around it.`,
    )
  }
  const next = value.replace(old, () => replacement)
  setValue(memory, label, next, callId)
  return next
}

/** Inserts a text behind line `line` of a block: 0 is before the first line, -1 the end. Returns the new value. */
function insertLines(context: ToolContext, label: string, inserted: string, line = -1): string {
  const { memory, callId } = context
  refuseLineNumbers('new_string', inserted)
  const { value } = writableBlock(memory, label)
  const lines = value === '' ? [] : value.split('\n')
  if (line < -1 || line > lines.length) {
    throw new ToolError(
      `The block "${label}" has ${lines.length} lines: insert_line must be -1, or 0 to ${lines.length}.`,
    )
  }
  const at = line === -1 ? lines.length : line
  const next = [...lines.slice(0, at), ...inserted.split('\n'), ...lines.slice(at)].join('\n')
  setValue(memory, label, next, callId)
  return next
}

/** Sets the whole value of a block. Returns it. */
function rethink(args: Arguments, { memory, callId }: ToolContext, label: string): string {
  const value = text(args, 'new_memory')
  refuseLineNumbers('new_memory', value)
  setValue(memory, label, value, callId)
  return value
}

/** The tools that change memory blocks. Each returns the new value of its block. */
export const CORE_MEMORY_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  core_memory_append(args, { memory, callId }) {
    const label = text(args, 'label')
    const { value } = writableBlock(memory, label)
    const next = `${value}\n${text(args, 'content')}`
    setValue(memory, label, next, callId)
    return next
  },
  core_memory_replace(args, { memory, callId }) {
    const label = text(args, 'label')
    const old = text(args, 'old_content')
    const { value } = writableBlock(memory, label)
    if (old === '' || !value.includes(old)) {
      throw new ToolError(`The memory block "${label}" does not have the text "${old}".`)
    }
    const next = value.replaceAll(old, () => String(args.new_content ?? ''))
    setValue(memory, label, next, callId)
    return next
  },
  memory_replace: (args, context) =>
    replaceOnce(context, text(args, 'label'), text(args, 'old_string'), text(args, 'new_string')),
  memory_insert: (args, context) =>
    insertLines(context, text(args, 'label'), text(args, 'new_string'), optionalInteger(args, 'insert_line') ?? -1),
  memory_rethink: (args, context) => rethink(args, context, text(args, 'label')),
  rethink_user_memory: (args, context) => rethink(args, context, 'human'),
  memory_finish_edits: () => 'None',
  finish_rethinking_memory: () => 'None',
  send_message: () => 'Sent message successfully.',
}
