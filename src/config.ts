import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { compile } from '@fastify/proxy-addr'
import { BASE_PROVIDERS, type BaseProvider } from './lib/base-providers.ts'
import { type McpPrograms, parsePrograms } from './lib/mcp-programs.ts'

/** The address of a hosted vector store, and its key. */
export interface StoreAddress {
  apiKey: string
  url: string
}

/** The services that search the web. */
export const SEARCH_SERVICES = {
  exa: 'https://api.exa.ai',
  tavily: 'https://api.tavily.com',
  brave: 'https://api.search.brave.com',
} as const
export type SearchService = keyof typeof SEARCH_SERVICES

/** The addresses of the services that search the web, and the keys of the server, each used where an agent has none. */
export type WebSearch = Readonly<Record<SearchService, { url: string; apiKey: string | undefined }>>

/** Every setting. This file is the only reader of `process.env`. */
export interface Config {
  port: number
  host: string
  /** The port that serves the surface for Letta clients at its root; absent: none. */
  lettaPort: number | undefined
  /** The directory of the embedded database and the encryption key. */
  dataDir: string
  /** `postgres://…` for a PostgreSQL server, `memory:` to store nothing; absent: embedded, in `dataDir`. */
  databaseUrl: string | undefined
  /** Connections to a PostgreSQL server at most. */
  poolSize: number
  /** The first admin key, used when the database is empty. */
  apiKey: string | undefined
  /** Secrets are encrypted under this; absent: under a key file in `dataDir`. */
  encryptionKey: string | undefined
  /** The largest request body, in bytes. */
  bodyLimit: number
  /** The longest time that a request may take to arrive, in seconds. */
  requestTimeout: number
  /** The largest file that can be uploaded, in bytes. */
  uploadLimit: number
  /** The model handle of agents that are created without one. */
  defaultModel: string
  /** By model handle, or `*`, the handle of the model that takes over where calls fail. */
  modelFallbacks: Readonly<Record<string, string>>
  logLevel: string
  /** Whether a script of npm started the server. */
  startedByNpm: boolean
  /** Whether the console is served. */
  console: boolean
  /** Whether a server that listens builds a console that is missing, or older than its sources. */
  buildsConsole: boolean
  /** Requests of one API key in a minute; absent: no limit. */
  rateLimit: number | undefined
  /** Web pages of these origins may call the API from a browser; `*`: any origin. */
  corsOrigins: readonly string[]
  /** Addresses and networks whose `X-Forwarded-*` headers are trusted. */
  trustProxy: readonly string[]
  /** The path of the server as callers see it, such as `/cairn`; empty: none. */
  basePath: string
  /** The hosted vector stores, by their value of `vector_db_provider`. */
  vectorStores: Readonly<{ tpuf?: StoreAddress; pinecone?: StoreAddress }>
  webSearch: WebSearch
  /** Private networks in which users may name addresses. */
  allowedNetworks: readonly string[]
  /** The OTLP receiver of spans and metrics; absent: none is sent. */
  otlpEndpoint: string | undefined
  /** The base providers: those of every organization. */
  providers: readonly BaseProvider[]
  /** The days for which the requests of steps to their providers are kept. */
  traceDays: number
  /** What runs tools with source code. */
  sandbox: (typeof SANDBOXES)[number]
  /** The account at E2B, whose machines run tools where this machine can't; absent: none. */
  e2b: Readonly<{ apiKey: string; template: string | undefined }> | undefined
  /** The directory of the packages that tools import; absent: the usual one. */
  packages: string | undefined
  /** Where the packages of tools come from. */
  packageIndexes: Readonly<{ pip: string | undefined; npm: string | undefined }>
  /** The MCP servers that are programs on this machine. */
  mcpPrograms: McpPrograms
}

/** `auto` is `bubblewrap` where that works, or else `e2b` where there is a key; tools are refused otherwise. */
const SANDBOXES = ['auto', 'bubblewrap', 'e2b', 'unsafe-local', 'off'] as const

/** A path of segments without characters that need escaping. */
export const BASE_PATH = /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/

/** An invalid setting. The message has the remedy. */
export class ConfigError extends Error {}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
  }
  return value
}

const listOf = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function readOrigins(text: string | undefined): string[] {
  const origins = listOf(text)
  for (const origin of origins) {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) continue
    throw new ConfigError(
      `CAIRN_CORS_ORIGINS must be * or origins such as https://app.example.com, separated by commas, not "${origin}".`,
    )
  }
  return origins
}

function readNetworks(env: NodeJS.ProcessEnv, name: string): string[] {
  const networks = listOf(env[name])
  try {
    compile(networks)
  } catch {
    throw new ConfigError(
      `${name} must list addresses or networks, such as 10.0.0.7 or 172.16.0.0/12, or the names loopback, ` +
        `linklocal and uniquelocal, separated by commas, not "${env[name]}".`,
    )
  }
  return networks
}

/** The base providers that have all the settings they need. */
function readProviders(env: NodeJS.ProcessEnv): BaseProvider[] {
  return BASE_PROVIDERS.flatMap(({ name, type, env: names, needs }) => {
    const read = Object.entries(names).map(([field, variable]) => [field, env[variable]?.trim() || undefined])
    const provider: BaseProvider = { name, type, ...Object.fromEntries(read) }
    if (needs.some((field) => provider[field] === undefined)) return []
    const { baseUrl } = provider
    if (baseUrl && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '')) {
      throw new ConfigError(`${names.baseUrl} must be a URL that begins with http:// or https://, not "${baseUrl}".`)
    }
    return [provider]
  })
}

function readBasePath(text: string | undefined): string {
  const path = (text ?? '').replace(/\/$/, '')
  if (path !== '' && (!BASE_PATH.test(path) || /^\/(v1|docs|console|openapi\.json)(\/|$)/.test(path))) {
    throw new ConfigError(
      `CAIRN_BASE_PATH must be a path of its own such as /cairn, of letters, digits, ".", "_", "~" and "-", not "${text}".`,
    )
  }
  return path
}

/** A model handle, `provider/model-name`. */
const HANDLE = /^[^/\s]+\/\S+$/

function readFallbacks(text: string | undefined): Config['modelFallbacks'] {
  const pairs = listOf(text).map((pair) => pair.split('='))
  for (const [handle = '', other = '', ...more] of pairs) {
    if ((handle === '*' || HANDLE.test(handle)) && HANDLE.test(other) && more.length === 0) continue
    throw new ConfigError(
      'CAIRN_MODEL_FALLBACKS must be pairs of handles such as openai/gpt-5=anthropic/claude-sonnet-5 or ' +
        `*=openai/gpt-5-mini, separated by commas, not "${text}".`,
    )
  }
  return Object.freeze(Object.fromEntries(pairs))
}

function readUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  throw new ConfigError(`${name} must be an address such as https://store.example.com, not "${text}".`)
}

function readStores(env: NodeJS.ProcessEnv): Config['vectorStores'] {
  const region = env.TURBOPUFFER_REGION || 'gcp-us-central1'
  if (!/^[a-z0-9-]+$/.test(region)) throw new ConfigError(`TURBOPUFFER_REGION can't be "${region}".`)
  const tpuf = env.TURBOPUFFER_API_KEY && {
    apiKey: env.TURBOPUFFER_API_KEY,
    url: readUrl('TURBOPUFFER_BASE_URL', env.TURBOPUFFER_BASE_URL || `https://${region}.turbopuffer.com`),
  }
  const host = env.PINECONE_INDEX_HOST
  // The key alone may be set for another program.
  const pinecone = env.PINECONE_API_KEY &&
    host && {
      apiKey: env.PINECONE_API_KEY,
      // Pinecone shows the host of an index with and without its scheme.
      url: readUrl('PINECONE_INDEX_HOST', host.includes('://') ? host : `https://${host}`),
    }
  return Object.freeze({ ...(tpuf && { tpuf }), ...(pinecone && { pinecone }) })
}

function readSearch(env: NodeJS.ProcessEnv): WebSearch {
  const read = Object.entries(SEARCH_SERVICES).map(([name, usual]) => {
    const variable = `${name.toUpperCase()}_BASE_URL`
    const url = readUrl(variable, env[variable] || usual)
    return [name, { url, apiKey: env[`${name.toUpperCase()}_API_KEY`]?.trim() || undefined }]
  })
  return Object.freeze(Object.fromEntries(read))
}

/** Whether a `DATABASE_URL` means the embedded database. */
export const isEmbedded = ({ DATABASE_URL: url }: NodeJS.ProcessEnv = process.env) => !url || url === 'memory:'

function readSandbox(text = 'auto'): Config['sandbox'] {
  const mode = SANDBOXES.find((name) => name === text)
  if (!mode) throw new ConfigError(`CAIRN_SANDBOX must be one of ${SANDBOXES.join(', ')}, not "${text}".`)
  return mode
}

function readConsole(text = 'on'): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new ConfigError(`CAIRN_CONSOLE must be on or off, not "${text}".`)
}

function readPrograms(path: string | undefined): McpPrograms {
  if (!path) return {}
  try {
    return parsePrograms(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigError(
      'CAIRN_MCP_SERVERS must name a file of JSON such as {"mcpServers": {"files": {"command": "npx", "args": ["…"]}}}. ' +
        `Of ${path}: ${(error as Error).message}`,
    )
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function readDatabaseUrl(url: string | undefined): string | undefined {
  if (url && !/^(postgres(ql)?:\/\/|memory:)/.test(url)) {
    throw new ConfigError('DATABASE_URL must begin with postgres:// or be memory: (unset, the database is embedded).')
  }
  if (url && !URL.canParse(url)) {
    throw new ConfigError('DATABASE_URL is not a URL. Percent-encode special characters in its user and password.')
  }
  return url
}

/** Reads the settings. Throws a ConfigError that names an invalid setting and its valid values. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const text = (name: string) => env[name] || undefined
  const databaseUrl = readDatabaseUrl(text('DATABASE_URL'))
  const apiKey = text('CAIRN_API_KEY')
  if (apiKey && !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new ConfigError('CAIRN_API_KEY must have 1 to 200 printable ASCII characters without spaces.')
  }
  const providers = readProviders(env)
  // Without a provider, only the built-in model can answer.
  const defaultModel = text('CAIRN_DEFAULT_MODEL') ?? (providers.length > 0 ? 'openai/gpt-5-mini' : 'cairn/scripted')
  if (!HANDLE.test(defaultModel)) {
    throw new ConfigError('CAIRN_DEFAULT_MODEL must be a model handle, provider/model-name.')
  }
  const otlpEndpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const logLevel = text('LOG_LEVEL') ?? 'info'
  if (!LOG_LEVELS.includes(logLevel)) throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)
  return Object.freeze({
    port: wholeNumber(env, 'PORT', 8283, 0, 65_535),
    host: text('HOST') ?? 'localhost',
    lettaPort: text('CAIRN_LETTA_PORT') ? wholeNumber(env, 'CAIRN_LETTA_PORT', 0, 0, 65_535) : undefined,
    dataDir: resolve(text('CAIRN_DATA_DIR') ?? '.cairn'),
    databaseUrl,
    poolSize: wholeNumber(env, 'CAIRN_POOL_SIZE', 10, 1, 1000),
    apiKey,
    encryptionKey: text('CAIRN_ENCRYPTION_KEY'),
    bodyLimit: wholeNumber(env, 'CAIRN_BODY_LIMIT', 8 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    requestTimeout: wholeNumber(env, 'CAIRN_REQUEST_TIMEOUT', 300, 1, 86_400),
    uploadLimit: wholeNumber(env, 'CAIRN_UPLOAD_LIMIT', 50 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    defaultModel,
    modelFallbacks: readFallbacks(env.CAIRN_MODEL_FALLBACKS),
    logLevel,
    startedByNpm: text('npm_lifecycle_event') !== undefined,
    console: readConsole(text('CAIRN_CONSOLE')),
    // Servers of tests and benchmarks are started by others.
    buildsConsole: text('npm_lifecycle_event') === 'start',
    rateLimit: text('CAIRN_RATE_LIMIT') ? wholeNumber(env, 'CAIRN_RATE_LIMIT', 0, 1, 1_000_000) : undefined,
    corsOrigins: readOrigins(text('CAIRN_CORS_ORIGINS')),
    trustProxy: readNetworks(env, 'CAIRN_TRUST_PROXY'),
    basePath: readBasePath(text('CAIRN_BASE_PATH')),
    vectorStores: readStores(env),
    webSearch: readSearch(env),
    allowedNetworks: readNetworks(env, 'CAIRN_ALLOWED_NETWORKS'),
    providers,
    otlpEndpoint: otlpEndpoint && readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', otlpEndpoint),
    sandbox: readSandbox(text('CAIRN_SANDBOX')),
    e2b: text('E2B_API_KEY') ? Object.freeze({ apiKey: env.E2B_API_KEY!, template: text('E2B_TEMPLATE') }) : undefined,
    packages: text('CAIRN_PACKAGES_DIR') && resolve(env.CAIRN_PACKAGES_DIR!),
    packageIndexes: Object.freeze({
      pip: text('CAIRN_PIP_INDEX') && readUrl('CAIRN_PIP_INDEX', env.CAIRN_PIP_INDEX!),
      npm: text('CAIRN_NPM_REGISTRY') && readUrl('CAIRN_NPM_REGISTRY', env.CAIRN_NPM_REGISTRY!),
    }),
    mcpPrograms: readPrograms(text('CAIRN_MCP_SERVERS')),
    traceDays: wholeNumber(env, 'CAIRN_TRACE_DAYS', 30, 0, 36_500),
  })
}

/** The settings of the commands that work on a server over HTTP. */
export interface ClientConfig {
  /** The server's address in the environment; absent: a profile's, or the usual one. */
  baseUrl: string | undefined
  apiKey: string | undefined
  /** The name of the profile; absent: the current one. */
  profile: string | undefined
  /** The directory of the file of profiles. */
  configDir: string
  /** The directory of the history of chats and the states of imports. */
  stateDir: string
  /** The directory that paths of arguments are relative to. */
  directory: string
  /** The command of the editor. */
  editor: string
  /** Whether to colour; absent: at a terminal. */
  color: boolean | undefined
}

function readColor(env: NodeJS.ProcessEnv): boolean | undefined {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env
  if (force !== undefined && force !== '') return !['0', 'false'].includes(force)
  return none || term === 'dumb' ? false : undefined
}

/** Reads the settings of the commands that work on a server over HTTP. Throws a ConfigError for an invalid address. */
export function readClientConfig(env: NodeJS.ProcessEnv = process.env): Readonly<ClientConfig> {
  const inHome = (variable: string, usual: string) => resolve(env[variable] || join(homedir(), usual), 'cairn')
  return Object.freeze({
    baseUrl: env.CAIRN_BASE_URL ? readUrl('CAIRN_BASE_URL', env.CAIRN_BASE_URL) : undefined,
    apiKey: env.CAIRN_API_KEY || undefined,
    profile: env.CAIRN_PROFILE || undefined,
    configDir: inHome('XDG_CONFIG_HOME', '.config'),
    stateDir: inHome('XDG_STATE_HOME', '.local/state'),
    // npm runs scripts in the package's folder; INIT_CWD is the user's working directory.
    directory: (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd(),
    editor: env.VISUAL || env.EDITOR || 'vi',
    color: readColor(env),
  })
}
