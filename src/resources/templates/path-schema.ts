import { Type } from 'typebox'
import { Id, Params } from '../../lib/wire.ts'

const NAME_IN_PATH = '[a-zA-Z0-9_-]+'

/** The name of a template in a path, and a version that the server ignores. */
export const template_name = Type.String({
  pattern: `^${NAME_IN_PATH}(:[a-z0-9]+)?$`,
  title: 'the name of a template',
  maxLength: 300,
})

/** The name and the version of a template in a path: by default the latest version. */
export const template_version = Type.String({
  pattern: `^${NAME_IN_PATH}(:(latest|current|dev|[1-9][0-9]{0,8}))?$`,
  title: 'the name of a template and a version, such as support:3 or support:latest',
  maxLength: 300,
})

export const ProjectNameParams = Params({ project_id: Id('project'), template_name })
export const ProjectVersionParams = Params({ project_id: Id('project'), template_version })
export const DeploymentParams = Params({ project_id: Id('project'), template_name, deployment_id: Id('deployment') })
