import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type Kind, split } from './handle.ts'
import { type KnownModel, type KnownProvider, known } from './known.ts'

type Row = KnownProvider & { [K in keyof Omit<KnownModel, keyof KnownProvider>]: KnownModel[K] | null }

/** The providers of an organization, and its models with these handles. */
export async function readKnown(scope: Scope, handles: readonly string[]) {
  // Ollama names a model with its tag, and people omit the tag "latest".
  const spelled = handles.flatMap((handle) => [handle, `${handle}:latest`])
  const rows =
    handles.length === 0
      ? []
      : await scope.query<Row>(sql`
          with ${known(scope)}
          select known.provider, known.provider_type, known.category, known.base_url, known.region, known.last_synced,
            m.model_type, m.name, m.display_name, m.context_window, m.max_output_tokens, m.embedding_dim
          from known left join models as m
            on m.provider = known.provider and m.provider || '/' || m.name = any(${spelled}::text[])`)
  const providers = new Map<string, KnownProvider>(rows.map((row) => [row.provider, row]))
  const models = new Map(rows.map((row) => [`${row.model_type} ${row.provider}/${row.name}`, row as KnownModel]))
  const find = (kind: Kind, handle: string) => {
    const ollama = providers.get(split(handle).provider)?.provider_type === 'ollama'
    return models.get(`${kind} ${handle}`) ?? (ollama ? models.get(`${kind} ${handle}:latest`) : undefined)
  }
  return { providers, find }
}
