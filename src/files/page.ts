import { convert, type Formatter, type Node } from 'html-to-text'

/** The parts of a page beside its content. */
const LEFT_OUT = 'nav footer aside form button svg img noscript iframe template dialog'.split(' ')

const hasText = ({ data = '', children = [] }: Node): boolean => data.trim() !== '' || children.some(hasText)

const heading: Formatter = (node, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 })
  builder.addInline(`${'#'.repeat(Number(node.name!.slice(1)))} `)
  walk(node.children ?? [], builder)
  builder.closeBlock({ trailingLineBreaks: 2 })
}

const code: Formatter = (node, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2, isPre: true })
  walk(node.children ?? [], builder)
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: (text) => `\`\`\`\n${text.trim()}\n\`\`\`` })
}

/** Links with whole addresses; links without a text, and those within the page, are their text alone. */
const linkFrom =
  (base: string | undefined): Formatter =>
  (node, walk, builder) => {
    const href = node.attribs?.href ?? ''
    const url = URL.canParse(href, base) ? new URL(href, base) : undefined
    const isLink = url && /^https?:$/.test(url.protocol) && !href.startsWith('#') && hasText(node)
    if (isLink) builder.addInline('[')
    walk(node.children ?? [], builder)
    if (isLink) builder.addInline(`](${url.href})`, { noWordTransform: true })
  }

/** The content of a web page as Markdown: without menus, images and scripts. `base`: the address of the page. */
export const pageToMarkdown = (html: string, base: string | undefined): string =>
  convert(html, {
    wordwrap: false,
    limits: { maxInputLength: Number.POSITIVE_INFINITY, maxBaseElements: 1 },
    baseElements: { selectors: ['main', 'article', 'body'], orderBy: 'selectors' },
    formatters: { heading, code, link: linkFrom(base) },
    selectors: [
      { selector: 'a', format: 'link' },
      { selector: 'pre', format: 'code' },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'heading' })),
      ...LEFT_OUT.map((selector) => ({ selector, format: 'skip' })),
    ],
  })
