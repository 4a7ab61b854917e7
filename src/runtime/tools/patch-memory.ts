import {
  addBlock,
  allOrNothing,
  changeBlock,
  type Memory,
  removeBlock,
  setValue,
  ToolError,
  writableBlock,
} from '../memory.ts'
import { applyHunks } from './patch-text.ts'

const HEADER = /^\*\*\* (Add Block|Update Block|Delete Block|Move to): *(.+?) *$/

/** A part of a patch, under its header. */
interface Section {
  action: string
  label: string
  moveTo?: string
  lines: string[]
}

/** The parts of a patch for several blocks; none for a patch without headers. Throws a ToolError for lines before the first. */
function sectionsOf(patch: string): Section[] {
  const sections: Section[] = []
  const stray: string[] = []
  for (const line of patch.split('\n')) {
    const [, action, label] = HEADER.exec(line) ?? []
    const last = sections.at(-1)
    if (action === 'Move to' && last?.action === 'Update Block') last.moveTo = label!
    else if (action) sections.push({ action, label: label!, lines: [] })
    else if (!/^\*\*\* (Begin|End) Patch/.test(line)) (last?.lines ?? stray).push(line)
  }
  if (sections.length > 0 && stray.some((line) => line.trim() !== '')) {
    throw new ToolError('The patch has lines before its first header.')
  }
  return sections
}

/** The lines of a new block, without the marks of added lines. */
const addedText = (lines: readonly string[]) =>
  lines
    .map((line) => line.replace(/^\+/, ''))
    .join('\n')
    .replace(/\n+$/, '')

/** Carries out one part of a patch. Returns a sentence about it. */
function applySection(memory: Memory, { action, label, moveTo, lines }: Section, callId: string): string {
  switch (action) {
    case 'Add Block':
      addBlock(memory, { label, value: addedText(lines), description: '' }, callId)
      return `Made the memory block "${label}".`
    case 'Delete Block':
      removeBlock(memory, label, callId)
      return `Removed the memory block "${label}".`
    case 'Update Block': {
      const trimmed = trimEnd(lines)
      if (trimmed.length > 0)
        setValue(memory, label, applyHunks(label, writableBlock(memory, label).value, trimmed), callId)
      if (moveTo) changeBlock(memory, label, { label: moveTo }, callId)
      return moveTo ? `Changed the memory block "${label}", now "${moveTo}".` : `Changed the memory block "${label}".`
    }
    default:
      throw new ToolError('A header "*** Move to: name" follows a header "*** Update Block: name".')
  }
}

/** Lines without the empty ones at the end, which belong to the text around a patch. */
const trimEnd = (lines: readonly string[]) => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)

/**
 * Applies a patch to the block of a label, or, with headers, to several blocks: all of it, or nothing. Returns the new value of
 * the block, or what was done. Throws a ToolError.
 */
export function patchMemory(memory: Memory, label: string, patch: string, callId: string): string {
  const sections = sectionsOf(patch)
  if (sections.length === 0) {
    return setValue(
      memory,
      label,
      applyHunks(label, writableBlock(memory, label).value, trimEnd(patch.split('\n'))),
      callId,
    )
  }
  return allOrNothing(memory, () => sections.map((section) => applySection(memory, section, callId)).join('\n'))
}
