import type { BuiltinTool } from './tool.ts'

const tool_type = 'svc_files_core'

/** Reading the files of the attached folders. */
export const FILE_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'open_files',
    tool_type,
    description:
      'Open files, or parts of them, so that you can read them. Only so many stay open at a time; those unused the ' +
      'longest close first.',
    properties: {
      file_requests: {
        type: 'array',
        description: 'The files to open.',
        items: {
          type: 'object',
          properties: {
            file_name: { type: 'string', description: 'The file, as folder/file.' },
            offset: {
              type: 'integer',
              description: 'The first line to show, counted from 0. The first when left out.',
            },
            length: { type: 'integer', description: 'How many lines to show. The rest when left out.' },
          },
          required: ['file_name'],
        },
      },
      close_all_others: {
        type: 'boolean',
        description: 'Whether to close every other file. False when left out.',
      },
    },
    required: ['file_requests'],
  },
  {
    name: 'grep_files',
    tool_type,
    description: 'Find the lines of the attached files that match a regular expression, whatever their case.',
    properties: {
      pattern: { type: 'string', description: 'The regular expression, of at most 1000 characters.' },
      include: { type: 'string', description: 'Only files whose name matches this, such as *.md.' },
      context_lines: { type: 'integer', description: 'How many lines to show around each match. 1 when left out.' },
      offset: { type: 'integer', description: 'How many matches to skip, to go on where the last answer ended.' },
    },
    required: ['pattern'],
    parallel: true,
  },
  {
    name: 'semantic_search_files',
    tool_type,
    description: 'Find the passages of the attached files that are closest in meaning to a query.',
    properties: {
      query: { type: 'string', description: 'What to look for, in plain words.' },
      limit: { type: 'integer', description: 'How many passages at most, up to 50. 5 when left out.' },
    },
    required: ['query'],
    parallel: true,
  },
]
