import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createProject, deleteProject, listProjects } from './projects.ts'
import { CreateProject, ListProjects, Project, ProjectList, ProjectParams, Success } from './schema.ts'

const operation = operationsOf('projects')

/** `/v1/projects` */
export async function projectRoutes(app: App) {
  app.get(
    '/',
    operation('list_projects', 'List projects, newest first', {
      querystring: ListProjects,
      response: { 200: ProjectList },
    }),
    ({ scope, query }) => listProjects(scope, query),
  )

  app.post(
    '/',
    operation('create_project', 'Create a project', { body: CreateProject, response: { 201: Ref(Project) } }),
    ({ scope, body }, reply) => {
      reply.code(201)
      return createProject(scope, body)
    },
  )

  app.delete(
    '/:project_id',
    operation('delete_project', 'Delete a project that has no templates', {
      params: ProjectParams,
      response: { 200: Success },
    }),
    async ({ scope, params }) => {
      await deleteProject(scope, params.project_id)
      return { success: true }
    },
  )
}
