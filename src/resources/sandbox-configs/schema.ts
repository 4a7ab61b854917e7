import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, Int, JsonMap, List, Name, OneOf, Page, Params, Query, Shape, Strict } from '../../lib/wire.ts'
import { NPM_NAME, PIP_NAME, Requirements } from '../tools/schema.ts'

const { Optional } = Type

/** Where tools run: on this server, or in the sandboxes of a hosting service. */
export const SANDBOX_TYPES = ['local', 'e2b', 'modal'] as const
export type SandboxType = (typeof SANDBOX_TYPES)[number]

export const SandboxConfig = Shape('SandboxConfig', {
  id: Id('sandbox'),
  type: OneOf(SANDBOX_TYPES),
  config: JsonMap({ description: 'The settings for sandboxes of this type.' }),
  organization_id: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
})
export type SandboxConfig = Static<typeof SandboxConfig>

export const sandboxConfigs = defineResource<SandboxConfig>()(SandboxConfig, {
  table: 'sandbox_configs',
  prefix: 'sandbox',
  order: 'asc',
  json: ['config'],
  conflicts: { sandbox_configs_type_key: 'The organization has a configuration for sandboxes of this type already.' },
})

/** `requests`, `requests==2.32.3` or `lodash@4.17.21`: a name of the registry, and perhaps a version. */
const named = (name: string, separator: string) =>
  Optional(
    List(Name({ pattern: `${name.slice(0, -1)}(${separator}[0-9A-Za-z.+!-]{1,100})?$` }), {
      description: 'Packages that every tool can import.',
    }),
  )

const timeout = Optional(Int({ minimum: 1, maximum: 3600, description: 'The longest time of a call, in seconds.' }))

/** The settings of each type of sandbox. */
export const SETTINGS = {
  local: {
    sandbox_dir: Optional(Name({ description: 'Ignored: every call has an empty directory of its own.' })),
    use_venv: Optional(Type.Boolean({ description: 'Whether every Python tool can import `pip_requirements`.' })),
    venv_name: Optional(Name({ description: 'Ignored.' })),
    pip_requirements: Optional(Requirements({ pattern: PIP_NAME })),
  },
  e2b: {
    timeout,
    template: Optional(Name({ description: 'The id of an E2B template.' })),
    pip_requirements: named(PIP_NAME, '=='),
  },
  modal: {
    timeout,
    pip_requirements: named(PIP_NAME, '=='),
    npm_requirements: named(NPM_NAME, '@'),
    language: Optional(OneOf(['python', 'typescript'])),
  },
} as const satisfies Record<SandboxType, object>

export const LocalSettings = Strict(SETTINGS.local)

/** The settings of any type of sandbox. */
export const SandboxSettings = Type.Union([LocalSettings, Strict(SETTINGS.e2b), Strict(SETTINGS.modal)])
export type SandboxSettings = Static<typeof SandboxSettings>

/** The settings that a configuration has where its maker names none. */
export const DEFAULT_SETTINGS: Readonly<Record<SandboxType, SandboxSettings>> = {
  local: { use_venv: false, venv_name: 'venv', pip_requirements: [] },
  e2b: { timeout: 300 },
  modal: { timeout: 60, language: 'python' },
}

export const CreateSandboxConfig = Strict({ config: SandboxSettings })
export type CreateSandboxConfig = Static<typeof CreateSandboxConfig>

export const UpdateSandboxConfig = Strict({ config: Optional(SandboxSettings) })
export type UpdateSandboxConfig = Static<typeof UpdateSandboxConfig>

export const ListSandboxConfigs = Query({
  ...Page('sandbox'),
  sandbox_type: Optional(OneOf(SANDBOX_TYPES, { description: 'Only the configuration of this type.' })),
})
export type ListSandboxConfigs = Static<typeof ListSandboxConfigs>

export const SandboxConfigParams = Params({ sandbox_config_id: Id('sandbox') })
