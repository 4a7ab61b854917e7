import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'
import { listMeasured } from '../embed/dimensions.ts'
import type { Egress } from '../lib/egress.ts'
import { apiUrl, type BaseProvider } from '../lib/provider-types.ts'
import { baseConnection } from '../resources/providers/connect.ts'
import { told } from '../resources/providers/sync.ts'

interface Base {
  database: Database
  egress: Egress
  providers: readonly BaseProvider[]
  logger: FastifyBaseLogger
}

const MINUTE_MS = 60_000

/** How often it is looked whose models are to be listed again, and how old a listing may be. */
const EVERY_MS = MINUTE_MS
const FRESH_MS = 6 * 60 * MINUTE_MS

/** The longest pause after failures, which doubles from one minute on. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS

/** Makes the providers of the settings the ones every organization has. A changed one is listed anew. */
async function registerBase({ database, providers }: Base): Promise<void> {
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

/** Lists the models of one of the server's providers and keeps them. A failure is noted, and the old ones stay. */
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
      await sql`update base_providers set sync_error = ${told(error)} where name = ${name}`.execute(database.kysely)
    }
    throw error
  }
}

/** Whose listing is missing or old. */
async function dueOf({ database, providers }: Base): Promise<BaseProvider[]> {
  const before = new Date(Date.now() - FRESH_MS).toISOString()
  const { rows } = await sql<{ name: string }>`select name from base_providers
    where last_synced is null or last_synced < ${before}`.execute(database.kysely)
  return providers.filter(({ name }) => rows.some((row) => row.name === name))
}

/**
 * Gives every organization the providers of the settings. Their models are listed in the background once the server
 * listens, and again every few hours: none of it is waited for, and a provider that doesn't answer concerns nothing else.
 */
export async function addBaseProviders(app: FastifyInstance, base: Base): Promise<void> {
  await registerBase(base)
  if (base.providers.length === 0) return
  const stopped = new AbortController()
  const pauses = new Map<string, { until: number; ms: number }>()
  let turn: Promise<void> = Promise.resolve()

  async function syncOne(provider: BaseProvider): Promise<void> {
    const { name } = provider
    const pause = pauses.get(name)
    if (pause && pause.until > Date.now()) return
    try {
      await syncBase(base, provider, stopped.signal)
      pauses.delete(name)
    } catch (error) {
      const ms = Math.min(pause ? pause.ms * 2 : MINUTE_MS, LONGEST_PAUSE_MS)
      pauses.set(name, { until: Date.now() + ms, ms })
      if (!stopped.signal.aborted)
        base.logger.warn({ provider: name, reason: told(error) }, 'models could not be listed')
    }
  }
  const syncDue = () => {
    turn = turn
      .then(async () => {
        if (!stopped.signal.aborted) await Promise.all((await dueOf(base)).map(syncOne))
      })
      // The next turn comes in a minute.
      .catch((error) => base.logger.warn({ err: error }, 'it could not be looked whose models are to be listed'))
  }
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    syncDue()
    timer = setInterval(syncDue, EVERY_MS).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    stopped.abort()
    await turn
  })
}
