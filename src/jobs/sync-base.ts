import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'
import { listMeasured } from '../embed/dimensions.ts'
import type { BaseProvider } from '../lib/base-providers.ts'
import type { Egress } from '../lib/egress.ts'
import { apiUrl } from '../lib/provider-types.ts'
import { baseConnection } from '../resources/providers/connect.ts'
import { publicMessage } from '../resources/providers/sync.ts'

interface Base {
  database: Database
  egress: Egress
  providers: readonly BaseProvider[]
  logger: FastifyBaseLogger
}

const MINUTE_MS = 60_000

/** Polling interval for stale model lists. */
const POLL_MS = MINUTE_MS

/** Age from which a model list is stale. */
const FRESH_MS = 6 * 60 * MINUTE_MS

/** The longest pause after failures, which doubles from one minute on. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS

/**
 * Stores the providers of the settings in place of those stored before. The models of a changed one are listed again.
 */
async function storeProviders({ database, providers }: Base): Promise<void> {
  const rows = providers.map(({ name, type, baseUrl, region }) => ({
    name,
    provider_type: type,
    url: apiUrl(type, baseUrl, region),
  }))
  const given = sql`jsonb_populate_recordset(null::base_providers, ${JSON.stringify(rows)}::jsonb)`
  await database.transaction(async (trx) => {
    await sql`delete from base_providers where name not in (select name from ${given} as g)`.execute(trx)
    await sql`insert into base_providers (name, provider_type, url) select name, provider_type, url from ${given} as g
      order by name
      on conflict (name) do update set provider_type = excluded.provider_type, url = excluded.url, last_synced = null
      where (base_providers.provider_type, base_providers.url) is distinct from (excluded.provider_type, excluded.url)
    `.execute(trx)
  })
}

/**
 * Lists the models of one of the server's providers and stores them. After a failure, which is stored too, the old
 * ones stay.
 */
export async function syncBase(
  { database, egress }: Base,
  provider: BaseProvider,
  signal?: AbortSignal,
): Promise<void> {
  const { name } = provider
  try {
    const models = await listMeasured(baseConnection(egress, provider), signal)
    const given = sql`jsonb_populate_recordset(null::base_models, ${JSON.stringify(models)}::jsonb)`
    await database.transaction(async (trx) => {
      const { rows } = await sql`update base_providers set last_synced = now(), sync_error = null where name = ${name}
        returning name`.execute(trx)
      if (rows.length === 0) return
      await sql`delete from base_models as m where provider_name = ${name} and not exists
        (select from ${given} as g where g.model_type = m.model_type and g.name = m.name)`.execute(trx)
      await sql`
        insert into base_models (provider_name, model_type, name, display_name, context_window, max_output_tokens,
          embedding_dim)
        select ${name}, model_type, name, display_name, context_window, max_output_tokens, embedding_dim
        from ${given} as g
        on conflict (provider_name, model_type, name) do update set
          display_name = excluded.display_name, context_window = excluded.context_window,
          max_output_tokens = excluded.max_output_tokens,
          embedding_dim = coalesce(excluded.embedding_dim, base_models.embedding_dim)`.execute(trx)
    })
  } catch (error) {
    if (!signal?.aborted) {
      await sql`update base_providers set sync_error = ${publicMessage(error)} where name = ${name}`.execute(
        database.kysely,
      )
    }
    throw error
  }
}

/** The providers whose listing is missing, or older than `ageMs`. */
async function dueProviders({ database, providers }: Base, ageMs: number): Promise<BaseProvider[]> {
  const before = new Date(Date.now() - ageMs).toISOString()
  const { rows } = await sql<{ name: string }>`select name from base_providers
    where last_synced is null or last_synced <= ${before}`.execute(database.kysely)
  return providers.filter(({ name }) => rows.some((row) => row.name === name))
}

/** The upkeep of the models of the server's own providers. */
export interface BaseProviders {
  /** Lists all models in the background now and every few hours, until `stop`. A provider that fails holds up no other. */
  startSync(): void
  /** Lists the models of one provider now: see syncBase. */
  sync(name: string, signal: AbortSignal): Promise<void>
  /** Aborts listings under way, and waits for their end. */
  stop(): Promise<void>
}

/** Lists the models of a provider, with growing pauses after failures. */
function createSync(base: Base, signal: AbortSignal): (provider: BaseProvider) => Promise<void> {
  const pauses = new Map<string, { until: number; ms: number }>()
  return async (provider) => {
    const { name } = provider
    const pause = pauses.get(name)
    if (pause && pause.until > Date.now()) return
    try {
      await syncBase(base, provider, signal)
      pauses.delete(name)
    } catch (error) {
      const ms = Math.min(pause ? pause.ms * 2 : MINUTE_MS, LONGEST_PAUSE_MS)
      pauses.set(name, { until: Date.now() + ms, ms })
      if (!signal.aborted) {
        base.logger.warn({ provider: name, reason: publicMessage(error) }, 'models could not be listed')
      }
    }
  }
}

/** Gives every organization the providers of the settings. Their models are listed once `startSync` is called. */
export async function registerBaseProviders(base: Base): Promise<BaseProviders> {
  await storeProviders(base)
  const stopped = new AbortController()
  const sync = createSync(base, stopped.signal)
  let turn: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const syncDue = (ageMs: number) => {
    turn = turn
      .then(async () => {
        if (!stopped.signal.aborted) await Promise.all((await dueProviders(base, ageMs)).map(sync))
      })
      // The next turn comes in a minute.
      .catch((error) => base.logger.warn({ err: error }, 'stale model lists could not be looked up'))
  }
  return {
    startSync() {
      if (base.providers.length === 0) return
      // What the providers have may have changed since the last start.
      syncDue(0)
      timer = setInterval(() => syncDue(FRESH_MS), POLL_MS).unref()
    },
    async sync(name, signal) {
      const provider = base.providers.find((one) => one.name === name)
      if (provider) await syncBase(base, provider, AbortSignal.any([signal, stopped.signal]))
    },
    async stop() {
      clearInterval(timer)
      stopped.abort()
      await turn
    },
  }
}
