import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { providerTypes } from '../../lib/provider-types.ts'
import { Create, Id, Instant, Int, Name, OneOf, Page, Params, Patch, Query, Ref, Shape } from '../../lib/wire.ts'

const { Optional } = Type

const modelName = { minLength: 1, maxLength: 150, pattern: '^\\S+$', title: 'a name without spaces' }

/** A model that the owner of a provider names. */
export const PinnedModel = Shape('PinnedModel', {
  name: Type.String({ ...modelName, description: "The provider's own name of the model." }),
  model_type: OneOf(['llm', 'embedding']),
  display_name: Optional(Name()),
  context_window: Optional(Int({ minimum: 1, description: 'In tokens.' })),
  max_output_tokens: Optional(Int({ minimum: 1 })),
  embedding_dim: Optional(Int({ minimum: 1, maximum: 16_000, description: 'How many numbers a vector has.' })),
})
export type PinnedModel = Static<typeof PinnedModel>

export const Provider = Shape('Provider', {
  id: Id('provider'),
  name: Type.String({ description: 'What comes before the slash in the handles of its models.' }),
  provider_type: OneOf(providerTypes),
  provider_category: OneOf(['base', 'byok'], { description: 'byok: it belongs to the organization.' }),
  base_url: Optional(Type.String()),
  region: Optional(Type.String()),
  api_version: Optional(Type.String()),
  organization_id: Type.String(),
  last_synced: Optional(Instant({ description: 'When its models were listed last.' })),
  sync_error: Optional(Type.String({ description: 'Why they could not be listed since.' })),
  models: Type.Array(Ref(PinnedModel), { description: 'The models its owner has named, besides those it lists.' }),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
})
export type Provider = Static<typeof Provider>

export const providers = defineResource<Provider>()(Provider, {
  table: 'providers',
  prefix: 'provider',
  order: 'desc',
  unlogged: ['api_key_enc', 'access_key_enc'],
  conflicts: { providers_name_key: 'A provider with this name already exists.' },
  computed: {
    provider_category: `'byok'`,
    models: `(
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', m.name, 'model_type', m.model_type,
        'display_name', m.display_name, 'context_window', m.context_window, 'max_output_tokens', m.max_output_tokens,
        'embedding_dim', m.embedding_dim)) order by m.model_type, m.name), '[]')
      from provider_models as m
      where m.organization_id = ${ORGANIZATION} and m.provider_id = providers.id and m.pinned)`,
  },
})

const key = (description: string) => Type.String({ maxLength: 20_000, description })

/** The fields for reaching a provider. */
const reached = {
  api_key: key('Encrypted at rest, and never returned.'),
  access_key: key('The id of the access key, of Amazon Bedrock. Encrypted at rest, and never returned.'),
  base_url: Type.String({ maxLength: 2_000, description: 'Where its API is; absent: where it usually is.' }),
  region: Type.String({ pattern: '^([a-z0-9-]{1,50})?$', title: 'a region such as us-east-1' }),
  api_version: Type.String({ pattern: '^[\\w.-]{0,50}$', title: 'a version such as 2024-10-21' }),
}

const models = {
  models: Type.Array(Ref(PinnedModel), {
    maxItems: 500,
    description: 'Models besides those it lists, and what its listing leaves out of those, such as the dimension.',
  }),
}

/** The part of a handle before the slash. */
const ProviderName = Type.String({ pattern: '^[^/\\s]+$', maxLength: 100, title: 'a name without spaces and slashes' })

export const CreateProvider = Create(
  { name: ProviderName, provider_type: OneOf(providerTypes), ...reached, ...models },
  ['name', 'provider_type'],
)
export type CreateProvider = Static<typeof CreateProvider>

export const UpdateProvider = Patch({ ...reached, ...models })
export type UpdateProvider = Static<typeof UpdateProvider>

export const CheckProvider = Create({ provider_type: OneOf(providerTypes), ...reached }, ['provider_type'])
export type CheckProvider = Static<typeof CheckProvider>

export const ListProviders = Query({
  ...Page('provider'),
  name: Optional(Type.String({ description: 'Exactly this name.' })),
  provider_type: Optional(OneOf(providerTypes)),
})
export type ListProviders = Static<typeof ListProviders>

export const ProviderParams = Params({ provider_id: Id('provider') })
