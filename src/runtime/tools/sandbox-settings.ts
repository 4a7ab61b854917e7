import type { SandboxSettings } from '../../resources/sandbox-configs/schema.ts'
import type { Tool } from '../../resources/tools/schema.ts'
import type { Language, Package, SandboxLimits } from '../../sandbox/sandbox.ts'

/** A package by its text, such as `requests==2.32.3` or `@types/node@24.0.0`. */
function packageIn(text: string): Package {
  const [, name = text, version] = /^(.+?)(?:==|(?<!^)@)([^=@]+)$/.exec(text) ?? []
  return { name, version }
}

/** The packages that an organization's settings give to every tool in a language. */
function sharedPackages(settings: SandboxSettings, language: Language): Package[] {
  if (language === 'typescript')
    return ('npm_requirements' in settings ? (settings.npm_requirements ?? []) : []).map(packageIn)
  // As the settings of the Letta API have it: local packages are used where `use_venv` says so.
  if ('use_venv' in settings && !settings.use_venv) return []
  return (settings.pip_requirements ?? []).map((one) => (typeof one === 'string' ? packageIn(one) : one))
}

/** The packages of a call: those of the tool, and those of the settings that the tool doesn't name itself. */
export function packagesFor(
  { pip_requirements, npm_requirements }: Pick<Tool, 'pip_requirements' | 'npm_requirements'>,
  language: Language,
  settings: SandboxSettings,
): Package[] {
  const own: Package[] = (language === 'python' ? pip_requirements : npm_requirements) ?? []
  return [...own, ...sharedPackages(settings, language).filter(({ name }) => !own.some((one) => one.name === name))]
}

/** The limits that an organization's settings name. */
export const limitsOf = (settings: SandboxSettings): Partial<SandboxLimits> =>
  'timeout' in settings && settings.timeout ? { timeMs: settings.timeout * 1000 } : {}
