import { readFileSync, writeFileSync } from 'node:fs'
import { compare, ownFacts, upstreamFacts } from './compatibility/compare.ts'
import { pageOf } from './compatibility/page.ts'

const PAGE = new URL('../docs/compatibility.md', import.meta.url)

export const committedPage = () => readFileSync(PAGE, 'utf8')

/** The page as openapi.json and the facts of the retired server have it now. */
export function currentPage(): string {
  const ours = ownFacts()
  return pageOf(compare(upstreamFacts(), ours), ours)
}

if (import.meta.main) {
  if (process.argv.includes('--write')) {
    writeFileSync(PAGE, currentPage())
    console.log('docs/compatibility.md written')
  } else if (currentPage() !== committedPage()) {
    console.error(
      'docs/compatibility.md is not what openapi.json says. Run `npm run compatibility` and commit the file.',
    )
    process.exitCode = 1
  } else {
    console.log('docs/compatibility.md is what openapi.json says')
  }
}
