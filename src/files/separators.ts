const PARAGRAPHS_LINES_WORDS = ['\n\n', '\n', ' ']

/** Cuts before lines that begin with one of `keywords`, then between paragraphs, lines and words. */
const beforeLines = (keywords: string) => [
  ...keywords.split(' ').map((keyword) => `\n${keyword} `),
  ...PARAGRAPHS_LINES_WORDS,
]

/** The separators of each language, best first. The lists are those of LangChain's text splitters (MIT license). */
export const SEPARATORS = {
  plain: ['\n\n', '\n', '. ', ' '],
  markdown: [
    ...['##', '###', '####', '#####', '######'].map((heading) => `\n${heading} `),
    '```\n\n',
    ...['***', '---', '___'].map((rule) => `\n\n${rule}\n\n`),
    ...PARAGRAPHS_LINES_WORDS,
  ],
  cpp: beforeLines('class void int float double if for while switch case'),
  go: beforeLines('func var const type if for switch case'),
  java: beforeLines('class public protected private static if for while switch case'),
  js: beforeLines('function const let var class if for while switch case default'),
  php: beforeLines('function class if foreach while do switch case'),
  python: ['\nclass ', '\ndef ', '\n\tdef ', ...PARAGRAPHS_LINES_WORDS],
  ruby: beforeLines('def class if unless while for do begin rescue'),
  rust: beforeLines('fn const let if while for loop match'),
  scala: beforeLines('class object def val var if for while match case'),
  swift: beforeLines('func class struct enum if for while do switch case'),
} satisfies Record<string, readonly string[]>

/** A language whose best places to cut are known. */
export type Language = keyof typeof SEPARATORS
