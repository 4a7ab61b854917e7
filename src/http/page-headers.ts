/** Directives of the Content-Security-Policy of pages, besides those of scripts: nothing comes from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  // Editors and dialogs add styles at run time.
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self' blob:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** The Content-Security-Policy of a page that runs scripts of this server, and inline scripts of these hashes alone. */
export const pagePolicy = (...hashes: string[]) =>
  [...POLICY, ["script-src 'self'", ...hashes.map((one) => `'${one}'`)].join(' ')].join('; ')

/** Headers of the pages that this server shows to people. */
export const PAGE_HEADERS = {
  'content-security-policy': pagePolicy(),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
