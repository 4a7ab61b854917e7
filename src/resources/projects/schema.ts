import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Closed, Create, Id, Name, Offset, Params, Query, Ref, Shape } from '../../lib/wire.ts'

const { Optional } = Type

export const Project = Shape('Project', {
  id: Id('project'),
  name: Type.String(),
  slug: Type.String({
    description: 'What stands for the project in the header X-Project and in names of templates.',
  }),
})
export type Project = Static<typeof Project>

export const projects = defineResource<Project>()(Project, {
  table: 'projects',
  prefix: 'project',
  order: 'desc',
  conflicts: { projects_slug_key: 'A project with this name, or one that reads the same in a URL, already exists.' },
})

export const CreateProject = Create({ name: Type.String({ minLength: 3, maxLength: 50 }) }, ['name'])
export type CreateProject = Static<typeof CreateProject>

export const ListProjects = Query({
  ...Offset,
  name: Optional(Name({ description: 'Part of the name, in any case.' })),
})
export type ListProjects = Static<typeof ListProjects>

export const ProjectList = Closed({ projects: Type.Array(Ref(Project)), hasNextPage: Type.Boolean() })
export type ProjectList = Static<typeof ProjectList>

/** The response to a change that reports nothing but its success. */
export const Success = Closed({ success: Type.Boolean() })

export const ProjectParams = Params({ project_id: Id('project') })

/** The headers that name a project. */
export const ProjectHeaders = Type.Object({
  'x-project-id': Optional(Type.String({ description: 'The project the request is for, by its id.' })),
  'x-project': Optional(Type.String({ description: 'The same by its slug. X-Project-Id wins.' })),
})
