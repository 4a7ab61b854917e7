import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Scope } from '../../db/scope.ts'
import type { Fetch } from '../../lib/egress.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { apiUrl, factsOf, type ProviderType, providerTypes } from '../../lib/provider-types.ts'
import type { Connection } from '../../llm/connection.ts'
import { openLanguageModel } from '../../llm/language-model.ts'
import { scriptedModel } from '../../llm/scripted-model.ts'
import { candidates, type Reachable } from './embedding.ts'
import { catalogOf, SCRIPTED } from './handles.ts'
import type { LlmConfig } from './schema.ts'

interface OpenOptions {
  /** Sends the model's requests instead of the server's own. */
  fetch?: Fetch
  /** The connections that the configuration can mean, if they are read already. */
  connections?: Connection[]
}

/** Finds the language model of a configuration. */
export interface LanguageModels {
  /**
   * The model of a configuration, with the key of the organization's own provider or of the server's. A key goes to its own
   * provider's address and to no other. 422 for a model that no provider here offers, with the remedy.
   */
  of(scope: Scope, config: LlmConfig, options?: OpenOptions): Promise<LanguageModelV4>
  /** The connections that a configuration can mean, for callers that read them beside the configuration. */
  connections(scope: Scope): Promise<Connection[]>
  /** The model that the operator names for calls of a configuration that fail; undefined where there is none. */
  next(scope: Scope, config: LlmConfig): Promise<{ model: LanguageModelV4; config: LlmConfig } | undefined>
}

/** The kind of provider that an endpoint type is the own one of. */
const kindOf = (endpointType: string): ProviderType =>
  providerTypes.find((type) => type === endpointType) ??
  providerTypes.find((type) => factsOf(type).llm === endpointType) ??
  'openai'

/** The connection of a configuration: to the provider that its handle names, or to its address without a key. */
function connectionFor(all: Connection[], { egress }: Reachable, config: LlmConfig): Connection {
  const { handle, provider_name, model_endpoint, model_endpoint_type } = config
  const named = provider_name ?? handle?.slice(0, handle.indexOf('/'))
  const kind = kindOf(model_endpoint_type)
  const found = all.find(({ name }) => name === named) ?? all.find(({ type }) => type === kind && !named)
  const url = model_endpoint ? apiUrl(kind, model_endpoint) : undefined
  // An address of the configuration's own gets no key, unless it is the provider's address.
  if (found && (url === undefined || url === found.url || model_endpoint === factsOf(found.type).url)) return found
  const there = url === undefined ? undefined : all.find((connection) => connection.url === url)
  if (there) return there
  if (url !== undefined && (url !== factsOf(kind).url || factsOf(kind).keyless)) {
    return { name: new URL(url).host, type: kind, url, fetch: egress.fetch }
  }
  throw invalid(
    inBody(
      'model',
      `there is no provider "${named ?? kind}" for ${handle ?? config.model}: make one with POST /v1/providers/, or ` +
        "have the server's operator set its key",
    ),
  )
}

/** The models that are open at once; beyond, all are closed. */
const MAX_OPEN = 1_000

/**
 * Opens models, and leaves them open: a package makes the schemas of its responses anew for each model that it opens, which
 * costs as much as reading a short answer. Each organization has its own; other credentials are another model.
 */
function createOpenModels({ egress }: Reachable) {
  const open = new Map<string, LanguageModelV4>()
  return async ({ organizationId }: Scope, { fetch, ...facts }: Connection, name: string) => {
    const key = JSON.stringify([organizationId, name, fetch === egress.trusted, facts])
    const known = open.get(key)
    if (known) return known
    const model = await openLanguageModel({ ...facts, fetch }, name)
    if (open.size >= MAX_OPEN) open.clear()
    open.set(key, model)
    return model
  }
}

/** Makes the language models of configurations. `fallbacks`: the handle that follows a handle, or any other (`*`). */
export function createLanguageModels(
  reachable: Reachable,
  fallbacks: Readonly<Record<string, string>> = {},
): LanguageModels {
  const opened = createOpenModels(reachable)
  const connections = (scope: Scope) => candidates(scope, reachable)
  const of: LanguageModels['of'] = async (scope, config, { fetch, connections: known } = {}) => {
    if (config.handle === SCRIPTED.handle) return scriptedModel()
    const connection = connectionFor(known ?? (await connections(scope)), reachable, config)
    return fetch ? openLanguageModel({ ...connection, fetch }, config.model) : opened(scope, connection, config.model)
  }
  return {
    of,
    connections,
    async next(scope, { handle = '' }) {
      const other = fallbacks[handle] ?? fallbacks['*']
      if (other === undefined) return undefined
      const config = (await catalogOf(scope, { llm: [other] })).llm(other)
      return { model: await of(scope, config), config }
    },
  }
}
