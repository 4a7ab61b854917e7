import type { Versioned } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { omitNullFields } from '../../lib/json.ts'
import {
  DEFAULT_SETTINGS,
  type ListSandboxConfigs,
  SANDBOX_TYPES,
  type SandboxConfig,
  type SandboxSettings,
  type SandboxType,
  SETTINGS,
  sandboxConfigs,
  type UpdateSandboxConfig,
} from './schema.ts'

/** The configurations of the organization's sandboxes, one for each type at most, oldest first. */
export const listSandboxConfigs = (scope: Scope, { sandbox_type, ...page }: ListSandboxConfigs) =>
  scope.list(sandboxConfigs, page, (query) =>
    query.$if(sandbox_type !== undefined, (q) => q.where('sandbox_configs.type', '=', sandbox_type!)),
  )

/** Whether settings can be those of a type: hosted sandboxes name a package by one text. */
function fits(config: SandboxSettings, type: SandboxType): boolean {
  const byText = config.pip_requirements?.some((one) => typeof one === 'string')
  return (
    Object.keys(config).every((key) => key in SETTINGS[type]) &&
    (!config.pip_requirements?.length || byText === (type !== 'local'))
  )
}

/** The first type that settings can be for. */
const typeOf = (config: SandboxSettings): SandboxType => SANDBOX_TYPES.find((type) => fits(config, type)) ?? 'local'

/** Settings with the defaults of their type. */
const complete = (type: SandboxType, config: SandboxSettings) => ({
  ...DEFAULT_SETTINGS[type],
  ...omitNullFields(config),
})

const ofType = async (scope: Scope, type: SandboxType) =>
  (await scope.select(sandboxConfigs, (query) => query.where('sandbox_configs.type', '=', type)))[0]

/** The organization's configuration of a type, made with `config` where there is none. `made`: whether this call made it. */
async function findOrMake(scope: Scope, type: SandboxType, config: SandboxSettings) {
  const row = { type, config: complete(type, config) }
  const [made] = await scope.insertOnConflictDoNothing(sandboxConfigs, [row])
  // Deleted since: the insert is repeated, and fails with a 409 where another caller has made the row again.
  return {
    found: made ?? (await ofType(scope, type)) ?? (await scope.insert(sandboxConfigs, row)),
    made: Boolean(made),
  }
}

/** The organization's configuration of a type, made with default settings where there is none. */
export const defaultSandboxConfig = async (scope: Scope, type: SandboxType): Promise<SandboxConfig & Versioned> =>
  (await ofType(scope, type)) ?? (await findOrMake(scope, type, {})).found

/**
 * Makes the organization's configuration of a type, or gives it these settings. The type is `type`, or else the first that the
 * settings can be for.
 */
export async function setSandboxConfig(scope: Scope, config: SandboxSettings, type = typeOf(config)) {
  const { found, made } = await findOrMake(scope, type, config)
  return made ? found : scope.update(sandboxConfigs, found.id, { config: complete(type, config) })
}

/** Replaces the settings of a configuration. 404, 412, and a 422 for settings of another type. */
export async function modifySandboxConfig(scope: Scope, id: string, { config }: UpdateSandboxConfig) {
  if (!config) return scope.update(sandboxConfigs, id, {})
  const { type } = await scope.get(sandboxConfigs, id)
  if (!fits(config, type)) {
    throw invalid(inBody('config', `must hold settings of the type ${type}: ${Object.keys(SETTINGS[type]).join(', ')}`))
  }
  return scope.update(sandboxConfigs, id, { config: complete(type, config) })
}
