import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { SandboxConfigParams } from '../sandbox-configs/schema.ts'
import { variablesFor } from './rendering.ts'
import { createSandboxVariable, listSandboxVariables, modifySandboxVariable } from './sandbox-variables.ts'
import {
  CreateSandboxVariable,
  ListSandboxVariables,
  SandboxVariableParams as params,
  SandboxEnvironmentVariable,
  sandboxVariables,
  UpdateSandboxVariable,
} from './schema.ts'

const one = { 200: Ref(SandboxEnvironmentVariable) }

const operations = operationsOf('sandbox configurations', {
  list_sandbox_env_vars: [
    'List the environment variables of a configuration of sandboxes, oldest first',
    {
      params: SandboxConfigParams,
      querystring: ListSandboxVariables,
      response: { 200: Type.Array(Ref(SandboxEnvironmentVariable)) },
    },
  ],
  create_sandbox_env_var: [
    'Create an environment variable of every tool in these sandboxes',
    { params: SandboxConfigParams, body: CreateSandboxVariable, response: one },
  ],
  retrieve_sandbox_env_var: ['Retrieve an environment variable of sandboxes', { params, response: one }],
  modify_sandbox_env_var: [
    'Modify an environment variable of sandboxes',
    { params, body: UpdateSandboxVariable, response: one },
  ],
  delete_sandbox_env_var: ['Delete an environment variable of sandboxes', { params, response: { 204: NoContent } }],
})

/** `/v1/sandbox-config/{sandbox_config_id}/environment-variable`, and one of them by its id. */
export async function sandboxVariableRoutes(app: App) {
  app.get('/:sandbox_config_id/environment-variable', operations.list_sandbox_env_vars, ({ scope, params, query }) =>
    listSandboxVariables(scope, params.sandbox_config_id, query),
  )

  app.post('/:sandbox_config_id/environment-variable', operations.create_sandbox_env_var, ({ scope, params, body }) =>
    createSandboxVariable(scope, params.sandbox_config_id, body),
  )

  app.get('/environment-variable/:variable_id', operations.retrieve_sandbox_env_var, ({ scope, params }) =>
    scope.retrieve(sandboxVariables, params.variable_id, variablesFor(scope)),
  )

  app.patch('/environment-variable/:variable_id', operations.modify_sandbox_env_var, ({ scope, params, body }) =>
    modifySandboxVariable(scope, params.variable_id, body),
  )

  app.delete('/environment-variable/:variable_id', operations.delete_sandbox_env_var, ({ scope, params }) =>
    scope.remove(sandboxVariables, params.variable_id),
  )
}
