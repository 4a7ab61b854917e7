import { Type } from 'typebox'
import { flag, integer, text, toolsOf } from './tool.ts'

const { Optional } = Type

const FileRequest = Type.Object({
  file_name: text('The file, as folder/file.'),
  offset: Optional(integer('The first line to show, counted from 0. The first when left out.')),
  length: Optional(integer('How many lines to show. The rest when left out.')),
})

/** Reading the files of the attached folders. */
export const FILE_TOOLS = toolsOf('svc_files_core', {
  open_files: {
    description:
      'Open files, or parts of them, so that you can read them. Only so many stay open at a time; those unused the ' +
      'longest close first.',
    parameters: {
      file_requests: Type.Array(FileRequest, { description: 'The files to open.' }),
      close_all_others: Optional(flag('Whether to close every other file. False when left out.')),
    },
  },
  grep_files: {
    description: 'Find the lines of the attached files that match a regular expression, whatever their case.',
    parameters: {
      pattern: text('The regular expression, of at most 1000 characters.'),
      include: Optional(text('Only files whose name matches this, such as *.md.')),
      context_lines: Optional(integer('How many lines to show around each match. 1 when left out.')),
      offset: Optional(integer('How many matches to skip, to go on where the last answer ended.')),
    },
    parallel: true,
  },
  semantic_search_files: {
    description: 'Find the passages of the attached files that are closest in meaning to a query.',
    parameters: {
      query: text('What to look for, in plain words.'),
      limit: Optional(integer('How many passages at most, up to 50. 5 when left out.')),
    },
    parallel: true,
  },
})
