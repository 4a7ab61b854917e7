import { listFrom } from '../../db/offset.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import type { ListVersions } from './body.ts'
import { configurationOf, insertVersion, replaceVersion, same } from './configuration.ts'
import { type Template, type TemplateVersion, templates, templateVersions } from './schema.ts'

/** The parts of `support:3`: the name, and the version: a number, `latest` or the working copy. */
export function parseVersion(text: string): { name: string; version: string } {
  const [name, version = 'latest'] = text.split(':')
  return { name: name!, version }
}

const CURRENT = new Set(['current', 'dev'])

/** A version of a template: by its number, the latest, or the working copy (`current`, also `dev`). 404. */
export async function versionOf(scope: Scope, template: Template, version: string): Promise<TemplateVersion> {
  const number = CURRENT.has(version) ? null : Number(version === 'latest' ? template.latest_version : version)
  const [found] = await scope.select(templateVersions, (query) =>
    query
      .where('template_versions.template_id', '=', template.id)
      .where('template_versions.number', number === null ? 'is' : '=', number),
  )
  if (found) return found
  throw new ApiError('not_found', `Template ${template.name} has no version ${version}.`, {
    headers: { 'x-should-retry': 'false' },
  })
}

/** The saved versions of a template, newest first. */
export async function listVersions(scope: Scope, template: Template, page: ListVersions) {
  const { rows, more } = await listFrom(scope, templateVersions, page, (query) =>
    query
      .where('template_versions.template_id', '=', template.id)
      .where('template_versions.number', 'is not', null)
      .orderBy('template_versions.number', 'desc'),
  )
  const versions = rows.map(({ number, created_at, message }) => ({
    version: String(number),
    created_at,
    ...(message !== undefined && { message }),
    is_latest: String(number) === template.latest_version,
  }))
  return { versions, has_next_page: more, total_count: Number(template.latest_version) }
}

/**
 * Saves the working copy as the next version. Call this in a transaction that has locked the template: numbers
 * follow each other without a gap.
 */
export async function saveCurrent(
  tx: Scope,
  template: Template,
  message?: string,
): Promise<{ template: Template; version: TemplateVersion }> {
  const current = await versionOf(tx, template, 'current')
  const number = Number(template.latest_version) + 1
  const version = await insertVersion(tx, await configurationOf(tx, current), {
    template_id: template.id,
    number,
    ...(message !== undefined && { message }),
  })
  await tx.update(templateVersions, current.id, { based_on: number })
  return { template: await tx.update(templates, template.id, { latest: number }), version }
}

/** Saves the working copy if it differs from the version that it is based on. As `saveCurrent`. */
export async function saveChanges(tx: Scope, template: Template, message: string): Promise<Template> {
  const current = await versionOf(tx, template, 'current')
  const base = await versionOf(tx, template, String(current.based_on))
  if (same(await configurationOf(tx, current), await configurationOf(tx, base))) return template
  return (await saveCurrent(tx, template, message)).template
}

/**
 * Replaces the working copy with a saved version, and saves unsaved changes as a version first. Call this in a transaction
 * that has locked the template. 404 for a missing version.
 */
export async function rollBack(tx: Scope, template: Template, version: string): Promise<string> {
  const target = await versionOf(tx, template, version)
  if (target.number === undefined) throw invalid(inBody('version', 'must be a version that was saved'))
  const saved = await saveChanges(tx, template, `Saved before the rollback to version ${target.number}`)
  const current = await versionOf(tx, saved, 'current')
  await replaceVersion(tx, current.id, await configurationOf(tx, target), target.number)
  await touch(tx, saved, current.id)
  return saved.latest_version === template.latest_version
    ? `Rolled back to version ${target.number}.`
    : `Unsaved changes are version ${saved.latest_version}; rolled back to version ${target.number}.`
}

/** Records a change of the working copy in the template's history and its `updated_at`. */
export const touch = (tx: Scope, template: Template, versionId: string): Promise<Template> =>
  tx.update(templates, template.id, {}, [{ table: 'template_versions', added: [versionId], removed: [] }])
