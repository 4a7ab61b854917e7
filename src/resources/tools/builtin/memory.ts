import { Type } from 'typebox'
import { integer, text, toolsOf } from './tool.ts'

const { Optional } = Type

const label = text('The label of the memory block.')

/** Editing the memory blocks. */
export const MEMORY_TOOLS = toolsOf('svc_memory_core', {
  core_memory_append: {
    description: 'Add a line at the end of a memory block.',
    parameters: { label, content: text('The text to add.') },
  },
  core_memory_replace: {
    description: 'Replace a text in a memory block wherever it occurs. Replace it with nothing to forget it.',
    parameters: {
      label,
      old_content: text('The text as it stands in the block, to the letter.'),
      new_content: text('What to put in its place. May be empty.'),
    },
  },
  memory_apply_patch: {
    description:
      'Change memory blocks by a patch in the manner of a unified diff: lines that begin with a space stay, those with ' +
      '- go, those with + come. Without headers the patch is for the block of the label. With the headers ' +
      '"*** Add Block: name", "*** Update Block: name", "*** Delete Block: name" and, after an update, ' +
      '"*** Move to: name", one patch can make, change, remove and rename several.',
    parameters: { label, patch: text('The patch. Line numbers shown beside a block are no part of its text.') },
  },
  memory: {
    description:
      'Manage the memory blocks as if they were files: a block with the label notes is at /memories/notes. Commands: ' +
      'create a block (path, description, file_text), str_replace a passage that occurs once (path, old_string, new_string), ' +
      'insert text after a line (path, insert_line, insert_text), delete a block (path), rename a block (old_path, ' +
      'new_path) or give it another description (path, description).',
    parameters: {
      command: text('One of create, str_replace, insert, delete, rename.'),
      path: Optional(text('The block, as /memories/<label>.')),
      file_text: Optional(text('create: what the block holds at first. Empty when left out.')),
      description: Optional(text('create, rename: what the block is for.')),
      old_string: Optional(text('str_replace: the passage as it stands, to the letter.')),
      new_string: Optional(text('str_replace: what to put in its place.')),
      insert_line: Optional(
        integer('insert: the number of the line to insert after, 0 for the very beginning. The end when left out.'),
      ),
      insert_text: Optional(text('insert: the text.')),
      old_path: Optional(text('rename: the block as it is called now.')),
      new_path: Optional(text('rename: the block as it is to be called.')),
    },
  },
})

/** Editing the memory blocks of another agent. */
export const SLEEPTIME_TOOLS = toolsOf('svc_sleeptime_core', {
  memory_replace: {
    description:
      'Change one passage of a memory block. The passage must occur in it exactly once: give enough of what surrounds ' +
      'it. Line numbers and notes about them are shown for orientation only and are no part of the text. To write a ' +
      'block anew, use another tool.',
    parameters: {
      label,
      old_string: text('The passage as it stands, to the letter, spaces and indents too.'),
      new_string: text('What to put in its place, without line numbers. May be empty.'),
    },
  },
  memory_insert: {
    description: 'Insert lines into a memory block, at its end unless a line is given.',
    parameters: {
      label,
      new_string: text('The text to insert, without line numbers.'),
      insert_line: Optional(
        integer('The number of the line to insert after: 0 for the very beginning, -1 (the default) for the end.'),
      ),
    },
  },
  memory_rethink: {
    description:
      "Write a memory block anew: for larger reorganizations, or to bring in what has been learnt. What isn't in the " +
      'new text is gone; for a small change, edit instead.',
    parameters: { label, new_memory: text('The whole new text, complete in itself.') },
  },
  memory_finish_edits: {
    description: 'Say that you are done with editing the memory. Call it last.',
    parameters: {},
  },
})
