import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import { listFrom } from '../../db/offset.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError, conflict, notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { type CreateProject, type ListProjects, type Project, type ProjectList, projects } from './schema.ts'

/** The project of resources for which a request names no project. */
const DEFAULT = { name: 'Default Project', slug: 'default-project' }

/** Projects of the organization, newest first. */
export async function listProjects(scope: Scope, { name, ...page }: ListProjects): Promise<ProjectList> {
  const { rows, more } = await listFrom(scope, projects, page, (query) =>
    query.$if(name !== undefined, (q) => q.where('projects.name', 'ilike', `%${escapeLike(name!)}%`)),
  )
  return { projects: rows, hasNextPage: more }
}

/** A name as it can stand in a URL and in a header: ASCII letters and digits, in lower case, with hyphens between. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Makes a project. A name with nothing to make a slug of has its id for one. 409 for a slug that is taken. */
export function createProject(scope: Scope, { name }: CreateProject): Promise<Project> {
  const id = newId('project')
  return scope.insert(projects, { id, name, slug: slugOf(name) || id })
}

/** Deletes a project. 404; 409 for one that has templates. Agents and tools that name it stay as they are. */
export const deleteProject = (scope: Scope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    // Locked, so that no other transaction adds a template: its foreign key refers to this row.
    await tx.lock(projects, id)
    const found = await tx.query(sql`
      select 1 from templates where organization_id = ${tx.organizationId} and project_id = ${id} limit 1`)
    if (found.length > 0) throw conflict('The project has templates: delete them first.')
    await tx.remove(projects, id)
  })

const withSlug = async (scope: Scope, slug: string): Promise<Project | undefined> =>
  (await scope.select(projects, (query) => query.where('projects.slug', '=', slug)))[0]

/**
 * The id of the project that the headers of a request name, `X-Project-Id` before `X-Project`; undefined when they name
 * none. 404 for a project the organization doesn't have.
 */
export async function namedProject(
  scope: Scope,
  headers: Record<string, string | string[] | undefined>,
): Promise<string | undefined> {
  const id = String(headers['x-project-id'] ?? '')
  if (id !== '') return (await scope.get(projects, id)).id
  const slug = String(headers['x-project'] ?? '')
  if (slug === '') return undefined
  const project = await withSlug(scope, slug)
  if (!project) throw notFound('project', slug)
  return project.id
}

/** The organization's default project, or undefined while nothing has needed it. */
export const findDefaultProject = (scope: Scope) => withSlug(scope, DEFAULT.slug)

/** The organization's default project, made when it is first needed. */
export async function defaultProject(scope: Scope): Promise<Project> {
  const there = await findDefaultProject(scope)
  if (there) return there
  try {
    return await scope.savepoint(() => scope.insert(projects, DEFAULT))
  } catch (error) {
    // Another caller may have made it meanwhile.
    const made = error instanceof ApiError && error.code === 'conflict' ? await findDefaultProject(scope) : undefined
    if (!made) throw error
    return made
  }
}
