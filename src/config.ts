import { resolve } from 'node:path'

/** Everything that can be set from outside. This file is the only reader of `process.env`. */
export interface Config {
  port: number
  host: string
  /** Where the embedded database and the encryption key lie. */
  dataDir: string
  /** `postgres://…` for a PostgreSQL server, `memory:` to keep nothing; absent: embedded, in `dataDir`. */
  databaseUrl: string | undefined
  /** Connections to a PostgreSQL server at most. */
  poolSize: number
  /** The first admin key, used when the database is empty. */
  apiKey: string | undefined
  /** Secrets are encrypted under this; absent: under a key file in `dataDir`. */
  encryptionKey: string | undefined
  /** The largest request body, in bytes. */
  bodyLimit: number
  /** The model handle of agents made without one. */
  defaultModel: string
  logLevel: string
}

/** A setting that can't be used, with the remedy in its message. */
export class ConfigError extends Error {}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const given = env[name]
  if (given === undefined || given === '') return fallback
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${given}".`)
  }
  return value
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Reads the settings. Throws a ConfigError that names the setting and what it may be. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const text = (name: string) => env[name] || undefined
  const databaseUrl = text('DATABASE_URL')
  if (databaseUrl && !/^(postgres(ql)?:\/\/|memory:)/.test(databaseUrl)) {
    throw new ConfigError('DATABASE_URL must begin with postgres:// or be memory: (unset, the database is embedded).')
  }
  if (databaseUrl && !URL.canParse(databaseUrl)) {
    throw new ConfigError('DATABASE_URL is not a URL. Percent-encode special characters in its user and password.')
  }
  const apiKey = text('CAIRN_API_KEY')
  if (apiKey && !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new ConfigError('CAIRN_API_KEY must have 1 to 200 printable ASCII characters without spaces.')
  }
  const defaultModel = text('CAIRN_DEFAULT_MODEL') ?? 'openai/gpt-5-mini'
  if (!/^[^/\s]+\/\S+$/.test(defaultModel)) {
    throw new ConfigError('CAIRN_DEFAULT_MODEL must be a model handle, provider/model-name.')
  }
  const logLevel = text('LOG_LEVEL') ?? 'info'
  if (!LOG_LEVELS.includes(logLevel)) throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)
  return Object.freeze({
    port: wholeNumber(env, 'PORT', 8283, 0, 65_535),
    host: text('HOST') ?? 'localhost',
    dataDir: resolve(text('CAIRN_DATA_DIR') ?? '.cairn'),
    databaseUrl,
    poolSize: wholeNumber(env, 'CAIRN_POOL_SIZE', 10, 1, 1000),
    apiKey,
    encryptionKey: text('CAIRN_ENCRYPTION_KEY'),
    bodyLimit: wholeNumber(env, 'CAIRN_BODY_LIMIT', 8 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    defaultModel,
    logLevel,
  })
}
