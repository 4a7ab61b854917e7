import type { BuiltinTool, Parameter } from './tool.ts'

const tool_type = 'svc_builtin'

const domains = (description: string): Parameter => ({ type: 'array', items: { type: 'string' }, description })

const CATEGORIES = [
  'company',
  'research paper',
  'news',
  'pdf',
  'github',
  'tweet',
  'personal site',
  'linkedin profile',
  'financial report',
]

/** Running code, and reading the web. */
export const WEB_AND_CODE_TOOLS: readonly BuiltinTool[] = [
  {
    name: 'run_code',
    tool_type,
    description:
      'Run a program in a sandbox and get what it prints and returns. Nothing is kept from one run to the next.',
    properties: {
      code: { type: 'string', description: 'The program.' },
      language: {
        type: 'string',
        enum: ['python', 'js', 'ts', 'r', 'java'],
        description: 'The language it is written in.',
      },
    },
    required: ['code', 'language'],
    parallel: true,
  },
  {
    name: 'run_code_with_tools',
    tool_type,
    description:
      'Run a Python program that can call your other tools as functions: for many calls in a row, or to work on their ' +
      'results before you read them.',
    properties: { code: { type: 'string', description: 'The program, in Python.' } },
    required: ['code'],
  },
  {
    name: 'web_search',
    tool_type,
    description: 'Search the web. Results come with title, address, highlights and a summary.',
    properties: {
      query: { type: 'string', description: 'What to look for.' },
      num_results: { type: 'integer', description: 'How many results, 1 to 100. 10 when left out.' },
      category: { type: 'string', enum: CATEGORIES, description: 'Only pages of this kind.' },
      include_text: {
        type: 'boolean',
        description: 'Whether to get the full text of each page as well: it is long. False when left out.',
      },
      include_domains: domains('Only pages on these domains.'),
      exclude_domains: domains('No pages on these domains.'),
      start_published_date: { type: 'string', description: 'Only pages published after this ISO 8601 date.' },
      end_published_date: { type: 'string', description: 'Only pages published before this ISO 8601 date.' },
      user_location: { type: 'string', description: 'A country to favour, by its two-letter code.' },
    },
    required: ['query'],
    parallel: true,
  },
  {
    name: 'fetch_webpage',
    tool_type,
    description: 'Get a web page as Markdown text.',
    properties: { url: { type: 'string', description: 'The address of the page: http or https.' } },
    required: ['url'],
    parallel: true,
  },
]
