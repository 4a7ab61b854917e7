import { convert } from 'html-to-text'

/** The text of a page, as its reader sees it: without markup, scripts, images and addresses of links. */
export const htmlToText = (html: string): string =>
  convert(html, {
    wordwrap: false,
    limits: { maxInputLength: Number.POSITIVE_INFINITY },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', options: { uppercaseHeaderCells: false } },
    ],
  })
