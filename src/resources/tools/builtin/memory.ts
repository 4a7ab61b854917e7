import type { BuiltinTool, Parameter } from './tool.ts'

const label: Parameter = { type: 'string', description: 'The label of the memory block.' }

/** Editing the memory blocks. */
export const MEMORY_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'core_memory_append',
    tool_type: 'svc_memory_core',
    description: 'Add a line at the end of a memory block.',
    properties: { label, content: { type: 'string', description: 'The text to add.' } },
    required: ['label', 'content'],
  },
  {
    name: 'core_memory_replace',
    tool_type: 'svc_memory_core',
    description: 'Replace a text in a memory block wherever it occurs. Replace it with nothing to forget it.',
    properties: {
      label,
      old_content: { type: 'string', description: 'The text as it stands in the block, to the letter.' },
      new_content: { type: 'string', description: 'What to put in its place. May be empty.' },
    },
    required: ['label', 'old_content', 'new_content'],
  },
  {
    name: 'memory_replace',
    tool_type: 'svc_sleeptime_core',
    description:
      'Change one passage of a memory block. The passage must occur in it exactly once: give enough of what surrounds ' +
      'it. Line numbers and notes about them are shown for orientation only and are no part of the text. To write a ' +
      'block anew, use another tool.',
    properties: {
      label,
      old_str: { type: 'string', description: 'The passage as it stands, to the letter, spaces and indents too.' },
      new_str: { type: 'string', description: 'What to put in its place, without line numbers. May be empty.' },
    },
    required: ['label', 'old_str', 'new_str'],
  },
  {
    name: 'memory_insert',
    tool_type: 'svc_sleeptime_core',
    description: 'Insert lines into a memory block, at its end unless a line is given.',
    properties: {
      label,
      new_str: { type: 'string', description: 'The text to insert, without line numbers.' },
      insert_line: {
        type: 'integer',
        description: 'The number of the line to insert after: 0 for the very beginning, -1 (the default) for the end.',
      },
    },
    required: ['label', 'new_str'],
  },
  {
    name: 'memory_apply_patch',
    tool_type: 'svc_memory_core',
    description:
      'Change memory blocks by a patch in the manner of a unified diff: lines that begin with a space stay, those with ' +
      '- go, those with + come. Without headers the patch is for the block of the label. With the headers ' +
      '"*** Add Block: name", "*** Update Block: name", "*** Delete Block: name" and, after an update, ' +
      '"*** Move to: name", one patch can make, change, remove and rename several.',
    properties: {
      label,
      patch: { type: 'string', description: 'The patch. Line numbers shown beside a block are no part of its text.' },
    },
    required: ['label', 'patch'],
  },
  {
    name: 'memory',
    tool_type: 'svc_memory_core',
    description:
      'Manage the memory blocks as if they were files: a block with the label notes is at /memories/notes. Commands: ' +
      'create a block (path, description, file_text), str_replace a passage that occurs once (path, old_str, new_str), ' +
      'insert text after a line (path, insert_line, insert_text), delete a block (path), rename a block (old_path, ' +
      'new_path) or give it another description (path, description).',
    properties: {
      command: { type: 'string', description: 'One of create, str_replace, insert, delete, rename.' },
      path: { type: 'string', description: 'The block, as /memories/<label>.' },
      file_text: { type: 'string', description: 'create: what the block holds at first. Empty when left out.' },
      description: { type: 'string', description: 'create, rename: what the block is for.' },
      old_str: { type: 'string', description: 'str_replace: the passage as it stands, to the letter.' },
      new_str: { type: 'string', description: 'str_replace: what to put in its place.' },
      insert_line: {
        type: 'integer',
        description: 'insert: the number of the line to insert after, 0 for the very beginning. The end when left out.',
      },
      insert_text: { type: 'string', description: 'insert: the text.' },
      old_path: { type: 'string', description: 'rename: the block as it is called now.' },
      new_path: { type: 'string', description: 'rename: the block as it is to be called.' },
    },
    required: ['command'],
  },
  {
    name: 'memory_rethink',
    tool_type: 'svc_sleeptime_core',
    description:
      "Write a memory block anew: for larger reorganizations, or to bring in what has been learnt. What isn't in the " +
      'new text is gone; for a small change, edit instead.',
    properties: {
      label,
      new_memory: { type: 'string', description: 'The whole new text, complete in itself.' },
    },
    required: ['label', 'new_memory'],
  },
  {
    name: 'memory_finish_edits',
    tool_type: 'svc_sleeptime_core',
    description: 'Say that you are done with editing the memory. Call it last.',
    properties: {},
    required: [],
  },
]
