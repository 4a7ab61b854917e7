import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createProject, deleteProject, listProjects } from './projects.ts'
import { CreateProject, ListProjects, Project, ProjectList, ProjectParams, Success } from './schema.ts'

const operations = operationsOf('projects', {
  list_projects: ['List projects, newest first', { querystring: ListProjects, response: { 200: ProjectList } }],
  create_project: ['Create a project', { body: CreateProject, response: { 200: Ref(Project) } }],
  delete_project: ['Delete a project that has no templates', { params: ProjectParams, response: { 200: Success } }],
})

/** `/v1/projects` */
export async function projectRoutes(app: App) {
  app.get('/', operations.list_projects, ({ scope, query }) => listProjects(scope, query))

  app.post('/', operations.create_project, ({ scope, body }) => createProject(scope, body))

  app.delete('/:project_id', operations.delete_project, async ({ scope, params }) => {
    await deleteProject(scope, params.project_id)
    return { success: true }
  })
}
