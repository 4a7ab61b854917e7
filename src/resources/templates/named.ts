import type { Versioned } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'
import { findDefaultProject } from '../projects/projects.ts'
import { type Template, templates } from './schema.ts'

/** The name of a template, and its project: without one, the default project. */
export interface Named {
  project: string | undefined
  name: string
}

/** A template by its name. 404. */
export async function templateNamed(scope: Scope, { project, name }: Named): Promise<Template & Versioned> {
  if (project !== undefined) await scope.exists('projects', project)
  const projectId = project ?? (await findDefaultProject(scope))?.id
  const [found] =
    projectId === undefined
      ? []
      : await scope.select(templates, (query) =>
          query.where('templates.project_id', '=', projectId).where('templates.name', '=', name),
        )
  if (found) return found
  throw new ApiError('not_found', `No template named ${name} in this project.`, {
    headers: { 'x-should-retry': 'false' },
  })
}

/** Runs `work` in a transaction that has locked the template. 404, or 412 with the current ETag. */
export const holding = <T>(
  scope: Scope,
  named: Named,
  work: (tx: Scope, template: Template) => Promise<T>,
): Promise<T> =>
  scope.transaction(async (tx) => {
    const { id } = await templateNamed(tx, named)
    await tx.lock(templates, id)
    // Read again: the template may have changed before the lock.
    return work(tx.withoutIfMatch(), await tx.get(templates, id))
  })
