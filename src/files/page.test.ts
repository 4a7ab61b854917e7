import { expect, test } from 'vitest'
import { pageToMarkdown } from './page.ts'

const PAGE = `<html><head><title>T</title><script>bad()</script><style>bad</style></head><body>
<nav><a href="/home">Home</a></nav>
<main><h1>Quinces</h1><p>They are <b>yellow</b>, see <a href="/more?x=1">more of  them</a>, <a href="#top">top</a>
and <a href="javascript:bad()">this</a>.<img src="x.png"></p>
<h2>Kinds</h2><ul><li>Apple <a href="https://other.example/"><img src="y"></a></li><li>Pear</li></ul>
<pre>a = 1
  b = 2</pre>
<table><tr><th>Kind</th><th>Price</th></tr><tr><td>Apple</td><td>2</td></tr></table></main>
<footer>Imprint</footer></body></html>`

test('a page is read as Markdown, with whole addresses, and without what is beside its content', () => {
  expect(pageToMarkdown(PAGE, 'https://fruit.example/a/b')).toBe(`# Quinces

They are yellow, see [more of them](https://fruit.example/more?x=1), top and this.

## Kinds

- Apple
- Pear

\`\`\`
a = 1
  b = 2
\`\`\`

Kind    Price
Apple   2`)
})

test('a page without a main part is read from its body, and one of text alone as it is', () => {
  expect(pageToMarkdown('<body><p>One</p><p>Two</p></body>', undefined)).toBe('One\n\nTwo')
  expect(pageToMarkdown('Plain', undefined)).toBe('Plain')
})
