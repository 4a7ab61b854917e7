import type { FastifyRequest } from 'fastify'
import { Id } from '../../lib/wire.ts'
import { namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import type { Named } from './named.ts'
import { parseVersion } from './versions.ts'

/** Where a request names the project of a template: the same routes exist for either place. */
export interface ProjectSource {
  /** The end of the operations' ids. */
  suffix: string
  /** The end of a phrase in the operations' summaries. */
  where: string
  base: string
  savePath: string
  filePath: string
  fileMethod: 'PATCH' | 'PUT'
  params: { project_id?: ReturnType<typeof Id> }
  headers: { headers?: typeof ProjectHeaders }
}

/** A header names the project; without one, it is the default project. */
export const inHeader: ProjectSource = {
  suffix: '',
  where: '',
  base: '',
  savePath: '/save',
  filePath: '',
  fileMethod: 'PATCH',
  params: {},
  headers: { headers: ProjectHeaders },
}

/** The path names the project. */
export const inPath: ProjectSource = {
  suffix: '_in_project',
  where: ' of a project',
  base: '/:project_id',
  savePath: '',
  filePath: '/agent-file',
  fileMethod: 'PUT',
  params: { project_id: Id('project') },
  headers: {},
}

/** The template that a request names, and the version that its path names; without one, the latest version. */
export async function namedIn({ scope, params, headers }: FastifyRequest): Promise<Named & { version: string }> {
  const path = params as { project_id?: string; template_name?: string; template_version?: string }
  const project = path.project_id ?? (await namedProject(scope, headers))
  return { project, ...parseVersion(path.template_version ?? path.template_name!) }
}
