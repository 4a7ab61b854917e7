import { SEARCH_SERVICES, type SearchService } from '../../config.ts'
import { secretsOf } from '../../resources/agents/secrets.ts'
import { ToolError, ToolSetupError } from '../memory.ts'
import { optionalFlag, optionalInteger, optionalText, optionalTexts, text } from './arguments.ts'
import { SEARCH_WIRES, type WebQuery } from './search-services.ts'
import type { Arguments, OutsideTool, ToolContext } from './tool.ts'

const NAMES = Object.keys(SEARCH_SERVICES) as SearchService[]

const settingOf = (name: SearchService) => `${name.toUpperCase()}_API_KEY`

const TIMEOUT_MS = 30_000

/** The service that searches: by a key among the agent's secrets, or else by one of the server. A ToolSetupError where there is none. */
async function serviceFor({ scope, agent, services: { web } }: ToolContext) {
  const secrets = await secretsOf(scope, agent.row.id)
  const keyed = (keyOf: (name: SearchService) => string | undefined) => NAMES.find((name) => keyOf(name))
  const own = keyed((name) => secrets[settingOf(name)])
  const name = own ?? keyed((name) => web.services[name].apiKey)
  if (!name) {
    const settings = new Intl.ListFormat('en', { type: 'disjunction' }).format(NAMES.map(settingOf))
    throw new ToolSetupError(
      `There is no key to search the web: set ${settings} as a secret of the agent or as a setting of the server.`,
    )
  }
  const { url, apiKey } = web.services[name]
  return { name, url, apiKey: own ? secrets[settingOf(name)]! : apiKey! }
}

const queryIn = (args: Arguments): WebQuery => ({
  query: text(args, 'query'),
  num_results: Math.min(Math.max(optionalInteger(args, 'num_results') ?? 10, 1), 100),
  category: optionalText(args, 'category'),
  include_text: optionalFlag(args, 'include_text') ?? false,
  include_domains: optionalTexts(args, 'include_domains') ?? [],
  exclude_domains: optionalTexts(args, 'exclude_domains') ?? [],
  start_published_date: optionalText(args, 'start_published_date'),
  end_published_date: optionalText(args, 'end_published_date'),
  user_location: optionalText(args, 'user_location'),
})

/** The reason of a failed search: no key of any caller is in it. */
const failure = (name: string, reason: string) => new ToolError(`The search by ${name} failed: ${reason}`)

/** Searches the web by Exa, Tavily or Brave. */
export const webSearch: OutsideTool = {
  outside: 'repeatable',
  async run(args, context) {
    const query = queryIn(args)
    const { name, url, apiKey } = await serviceFor(context)
    const { path, headers, body } = SEARCH_WIRES[name].request(query, apiKey)
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const json = { 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(body) } : { headers }
    try {
      const response = await context.services.web.egress.trusted(`${url}${path}`, { ...sent, signal })
      if (!response.ok)
        throw failure(name, `it answers with ${response.status}: ${(await response.text()).slice(0, 300)}`)
      // It holds: each wire reads the body of its own service.
      const results = SEARCH_WIRES[name].results((await response.json()) as never, query)
      return JSON.stringify({ query: query.query, results: results.slice(0, query.num_results) })
    } catch (error) {
      context.signal.throwIfAborted()
      if (error instanceof ToolError) throw error
      throw failure(name, (error as Error).message)
    }
  },
}
