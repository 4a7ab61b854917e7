import type { SearchService } from '../../config.ts'

/** A search of the web. */
export interface WebQuery {
  query: string
  num_results: number
  category?: string | undefined
  include_text: boolean
  include_domains: readonly string[]
  exclude_domains: readonly string[]
  start_published_date?: string | undefined
  end_published_date?: string | undefined
  user_location?: string | undefined
}

/** A page that a search found. */
export interface WebResult {
  title?: string | undefined
  url: string
  published_date?: string | undefined
  author?: string | undefined
  text?: string | undefined
  highlights: string[]
  summary?: string | undefined
}

/** The wire of a service: its request, without the address of the service, and the pages in its response. */
interface Wire {
  request(query: WebQuery, apiKey: string): { path: string; headers: Record<string, string>; body?: object }
  results(body: never, query: WebQuery): WebResult[]
}

/** Characters of a page's text, where the full text is asked for. */
const TEXT = 10_000

const dayOf = (instant: string | undefined) => instant?.slice(0, 10)

interface Exa {
  results?: (Omit<WebResult, 'published_date' | 'highlights'> & { publishedDate?: string; highlights?: string[] })[]
}

const exa: Wire = {
  request: (query, apiKey) => ({
    path: '/search',
    headers: { 'x-api-key': apiKey },
    body: {
      query: query.query,
      numResults: query.num_results,
      type: 'auto',
      category: query.category,
      ...(query.include_domains.length > 0 && { includeDomains: query.include_domains }),
      ...(query.exclude_domains.length > 0 && { excludeDomains: query.exclude_domains }),
      startPublishedDate: query.start_published_date,
      endPublishedDate: query.end_published_date,
      userLocation: query.user_location,
      contents: { highlights: true, summary: true, ...(query.include_text && { text: { maxCharacters: TEXT } }) },
    },
  }),
  results: ({ results = [] }: Exa) =>
    results.map(({ title, url, publishedDate, author, text, highlights = [], summary }) => ({
      ...{ title, url, published_date: publishedDate, author, text, highlights, summary },
    })),
}

interface Tavily {
  results?: { title?: string; url: string; content?: string; raw_content?: string | null; published_date?: string }[]
}

const tavily: Wire = {
  request: (query, apiKey) => ({
    path: '/search',
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      query: query.query,
      max_results: Math.min(query.num_results, 20),
      topic: query.category === 'news' ? 'news' : 'general',
      include_raw_content: query.include_text ? 'markdown' : false,
      include_domains: query.include_domains,
      exclude_domains: query.exclude_domains,
      start_date: dayOf(query.start_published_date),
      end_date: dayOf(query.end_published_date),
    },
  }),
  results: ({ results = [] }: Tavily) =>
    results.map(({ title, url, content, raw_content, published_date }) => ({
      ...{ title, url, published_date, text: raw_content?.slice(0, TEXT), highlights: content ? [content] : [] },
    })),
}

interface Brave {
  web?: {
    results?: { title?: string; url: string; description?: string; page_age?: string; extra_snippets?: string[] }[]
  }
}

/** A period as Brave has it, which needs both ends. */
function freshnessOf({ start_published_date: start, end_published_date: end }: WebQuery): Record<string, string> {
  if (start === undefined && end === undefined) return {}
  return { freshness: `${dayOf(start) ?? '1990-01-01'}to${dayOf(end) ?? dayOf(new Date().toISOString())}` }
}

const brave: Wire = {
  request(query, apiKey) {
    const sites = query.include_domains.map((domain) => `site:${domain}`).join(' OR ')
    const others = query.exclude_domains.map((domain) => `-site:${domain}`)
    const search = new URLSearchParams({
      q: [query.query, sites, ...others].filter(Boolean).join(' '),
      count: String(Math.min(query.num_results, 20)),
      extra_snippets: 'true',
      ...(query.user_location && { country: query.user_location.toUpperCase() }),
      ...freshnessOf(query),
    })
    const headers = { accept: 'application/json', 'x-subscription-token': apiKey }
    return { path: `/res/v1/web/search?${search}`, headers }
  },
  results: ({ web }: Brave) =>
    (web?.results ?? []).map(({ title, url, description, page_age, extra_snippets = [] }) => ({
      ...{
        title,
        url,
        published_date: page_age,
        highlights: [...(description ? [description] : []), ...extra_snippets],
      },
    })),
}

/** The wires of the services that search the web. */
export const SEARCH_WIRES: Readonly<Record<SearchService, Wire>> = { exa, tavily, brave }
