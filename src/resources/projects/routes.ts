import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createProject, deleteProject, listProjects } from './projects.ts'
import { CreateProject, ListProjects, Project, ProjectList, ProjectParams, Success } from './schema.ts'

const tags = ['projects']

/** `/v1/projects` */
export async function projectRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_projects',
        summary: 'List projects, newest first',
        tags,
        querystring: ListProjects,
        response: { 200: ProjectList },
      },
    },
    ({ scope, query }) => listProjects(scope, query),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'create_project',
        summary: 'Create a project',
        tags,
        body: CreateProject,
        response: { 201: Ref(Project) },
      },
    },
    ({ scope, body }, reply) => {
      reply.code(201)
      return createProject(scope, body)
    },
  )

  app.delete(
    '/:project_id',
    {
      schema: {
        operationId: 'delete_project',
        summary: 'Delete a project that has no templates',
        tags,
        params: ProjectParams,
        response: { 200: Success },
      },
    },
    async ({ scope, params }) => {
      await deleteProject(scope, params.project_id)
      return { success: true }
    },
  )
}
