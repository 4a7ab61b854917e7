import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import { listFrom } from '../../db/offset.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { randomName } from '../agents/names.ts'
import { configurationOfFile, type FileReader } from './agent-file.ts'
import type { CreateTemplate, ListTemplates } from './body.ts'
import { configurationOf, configurationOfAgent, insertVersion, replaceVersion } from './configuration.ts'
import { holding, type Named, templateNamed } from './named.ts'
import { type Configuration, type Template, templates } from './schema.ts'
import { saveChanges, touch, versionOf } from './versions.ts'

/** The templates of the project with this slug. */
const inProject = ({ organizationId }: Scope, slug: string) => sql<boolean>`exists (select from projects
  where projects.organization_id = ${organizationId} and projects.id = templates.project_id
    and projects.slug = ${slug})`

type TemplateFilters = Omit<ListTemplates, 'version'>

const matching = (scope: Scope, filters: TemplateFilters, version: number | undefined): Filter<'templates'> => {
  const { name, exact, search, template_id, project_id, project_slug } = filters
  return (query) => {
    let q = query
    if (name !== undefined && exact) q = q.where('templates.name', '=', name)
    else if (name !== undefined) q = q.where('templates.name', 'ilike', `%${escapeLike(name)}%`)
    if (search !== undefined) {
      const part = `%${escapeLike(search)}%`
      q = q.where(({ or, eb }) => or([eb('templates.name', 'ilike', part), eb('templates.description', 'ilike', part)]))
    }
    if (template_id !== undefined) q = q.where('templates.id', '=', template_id)
    if (project_id !== undefined) q = q.where('templates.project_id', '=', project_id)
    if (version !== undefined) q = q.where('templates.latest', '>=', version)
    return project_slug === undefined ? q : q.where(inProject(scope, project_slug))
  }
}

/** Templates of the organization, those changed last first; of one project where a header names one. */
export async function listTemplates(
  scope: Scope,
  { limit, offset, sort_by, version, ...filters }: ListTemplates,
  project: string | undefined,
) {
  const number = version === undefined || version === 'latest' ? undefined : Number(version)
  const keeps = matching(scope, filters, number)
  const { rows, more } = await listFrom(
    scope,
    templates,
    { limit, offset, order_by: sort_by ?? 'updated_at' },
    (query) => keeps(query).$if(project !== undefined, (q) => q.where('templates.project_id', '=', project!)),
  )
  const slug = ({ project_slug, name }: Template) => `${project_slug}/${name}:${number}`
  return {
    templates: number === undefined ? rows : rows.map((row) => ({ ...row, template_deployment_slug: slug(row) })),
    has_next_page: more,
  }
}

/** Makes a template with its first version. Without a name, the server makes one. 409 for a taken name. */
async function insertTemplate(
  tx: Scope,
  projectId: string,
  name: string | null | undefined,
  configuration: Configuration,
): Promise<Template> {
  // Random names of agents repeat, and names of templates must be unique.
  const random = () => `${randomName()}-${randomUUID().slice(0, 8)}`
  const template = await tx.insert(templates, { project_id: projectId, name: name ?? random() })
  await insertVersion(tx, configuration, { template_id: template.id, number: 1 })
  await insertVersion(tx, configuration, { template_id: template.id, based_on: 1 })
  return template
}

/**
 * Makes a template of an agent as it is now, or of the one in an agent file, in this project. 404 for an unknown agent,
 * 409 for a taken name, 422 for a file that can't be read.
 */
export const createTemplate = (
  scope: Scope,
  projectId: string,
  body: CreateTemplate,
  reader: FileReader,
): Promise<Template> =>
  scope.transaction(async (tx) => {
    const configuration =
      body.type === 'agent'
        ? await configurationOfAgent(tx, body.agent_id)
        : await configurationOfFile(tx, 'agent_file', body.agent_file, body.update_existing_tools ?? false, reader)
    return insertTemplate(tx, projectId, body.name, configuration)
  })

/** Makes a template from a version of another template, in that template's project. 404; 409 for a taken name. */
export const forkTemplate = (scope: Scope, named: Named, version: string, name: string | null | undefined) =>
  scope.transaction(async (tx) => {
    const template = await templateNamed(tx, named)
    const configuration = await configurationOf(tx, await versionOf(tx, template, version))
    return insertTemplate(tx, template.project_id, name, configuration)
  })

/** Deletes a template with all its versions. The agents made from it stay. 404. */
export const deleteTemplate = (scope: Scope, named: Named): Promise<void> =>
  holding(scope, named, (tx, { id }) => tx.remove(templates, id))

/** Changes a template's name or description. 404; 409 for a name that is taken. */
export const modifyTemplate = (
  scope: Scope,
  named: Named,
  patch: { name?: string; description?: string | null | undefined },
): Promise<Template> => holding(scope, named, (tx, { id }) => tx.update(templates, id, patch))

/** Replaces the working copy; `saveFirst` saves unsaved changes as a version first. 404. */
export const replaceCurrent = (
  scope: Scope,
  named: Named,
  next: (tx: Scope, current: Configuration) => Promise<Configuration>,
  saveFirst = false,
): Promise<void> =>
  holding(scope, named, async (tx, locked) => {
    const template = saveFirst ? await saveChanges(tx, locked, 'Saved before an update') : locked
    const current = await versionOf(tx, template, 'current')
    await replaceVersion(tx, current.id, await next(tx, await configurationOf(tx, current)))
    await touch(tx, template, current.id)
  })
