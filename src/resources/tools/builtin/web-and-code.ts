import { Type } from 'typebox'
import { OneOf } from '../../../lib/wire.ts'
import { flag, integer, text, texts, toolsOf } from './tool.ts'

const { Optional } = Type

const CATEGORIES =
  'company, research paper, news, pdf, github, tweet, personal site, linkedin profile, financial report'.split(', ')

/** Running code, and reading the web. */
export const WEB_AND_CODE_TOOLS = toolsOf('svc_builtin', {
  run_code: {
    description:
      'Run a program in a sandbox and get what it prints and returns. Nothing is kept from one run to the next.',
    parameters: {
      code: text('The program.'),
      language: OneOf(['python', 'js', 'ts', 'r', 'java'], { description: 'The language it is written in.' }),
    },
    parallel: true,
  },
  run_code_with_tools: {
    description:
      'Run a Python program that can call your other tools as functions: for many calls in a row, or to work on their ' +
      'results before you read them.',
    parameters: { code: text('The program, in Python.') },
  },
  web_search: {
    description: 'Search the web. Results come with title, address, highlights and a summary.',
    parameters: {
      query: text('What to look for.'),
      num_results: Optional(integer('How many results, 1 to 100. 10 when left out.')),
      category: Optional(OneOf(CATEGORIES, { description: 'Only pages of this kind.' })),
      include_text: Optional(
        flag('Whether to get the full text of each page as well: it is long. False when left out.'),
      ),
      include_domains: Optional(texts('Only pages on these domains.')),
      exclude_domains: Optional(texts('No pages on these domains.')),
      start_published_date: Optional(text('Only pages published after this ISO 8601 date.')),
      end_published_date: Optional(text('Only pages published before this ISO 8601 date.')),
      user_location: Optional(text('A country to favour, by its two-letter code.')),
    },
    parallel: true,
  },
  fetch_webpage: {
    description: 'Get a web page as Markdown text.',
    parameters: { url: text('The address of the page: http or https.') },
    parallel: true,
  },
})
