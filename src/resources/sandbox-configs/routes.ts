import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { defaultSandboxConfig, listSandboxConfigs, modifySandboxConfig, setSandboxConfig } from './sandbox-configs.ts'
import {
  CreateSandboxConfig,
  ListSandboxConfigs,
  LocalSettings,
  SandboxConfigParams as params,
  SandboxConfig,
  sandboxConfigs,
  UpdateSandboxConfig,
} from './schema.ts'

const one = { 200: Ref(SandboxConfig) }

const operations = operationsOf('sandbox configurations', {
  list_sandbox_configs: [
    'List the configurations of sandboxes, oldest first',
    { querystring: ListSandboxConfigs, response: { 200: Type.Array(Ref(SandboxConfig)) } },
  ],
  create_sandbox_config: [
    'Create the configuration of a type of sandbox, or replace the settings of the one there is',
    { body: CreateSandboxConfig, response: one },
  ],
  create_default_local_sandbox_config: [
    'Retrieve the configuration of local sandboxes; create one with default settings where there is none',
    { response: one },
  ],
  create_default_e2b_sandbox_config: [
    'Retrieve the configuration of E2B sandboxes; create one with default settings where there is none',
    { response: one },
  ],
  create_custom_local_sandbox_config: [
    'Create the configuration of local sandboxes, or replace the settings of the one there is',
    { body: LocalSettings, response: one },
  ],
  recreate_venv: [
    'Remove the packages that are installed for local sandboxes: the next calls of tools install them anew',
    { response: one },
  ],
  retrieve_sandbox_config: ['Retrieve a configuration of sandboxes', { params, response: one }],
  modify_sandbox_config: [
    'Replace the settings of a configuration of sandboxes',
    { params, body: UpdateSandboxConfig, response: one },
  ],
  delete_sandbox_config: [
    'Delete a configuration of sandboxes and its environment variables',
    { params, response: { 204: NoContent } },
  ],
})

/** `/v1/sandbox-config` */
export const sandboxConfigRoutes = (sandbox: Pick<Sandbox, 'forgetPackages'>) => async (app: App) => {
  app.get('/', operations.list_sandbox_configs, ({ scope, query }) => listSandboxConfigs(scope, query))
  app.post('/', operations.create_sandbox_config, ({ scope, body }) => setSandboxConfig(scope, body.config))

  app.post('/local/default', operations.create_default_local_sandbox_config, ({ scope }) =>
    defaultSandboxConfig(scope, 'local'),
  )

  app.post('/e2b/default', operations.create_default_e2b_sandbox_config, ({ scope }) =>
    defaultSandboxConfig(scope, 'e2b'),
  )

  app.post('/local', operations.create_custom_local_sandbox_config, ({ scope, body }) =>
    setSandboxConfig(scope, body, 'local'),
  )

  app.post('/local/recreate-venv', operations.recreate_venv, async ({ scope }) => {
    await sandbox.forgetPackages(scope.organizationId)
    return defaultSandboxConfig(scope, 'local')
  })

  app.get('/:sandbox_config_id', operations.retrieve_sandbox_config, ({ scope, params }) =>
    scope.retrieve(sandboxConfigs, params.sandbox_config_id),
  )

  app.patch('/:sandbox_config_id', operations.modify_sandbox_config, ({ scope, params, body }) =>
    modifySandboxConfig(scope, params.sandbox_config_id, body),
  )

  app.delete('/:sandbox_config_id', operations.delete_sandbox_config, ({ scope, params }) =>
    scope.remove(sandboxConfigs, params.sandbox_config_id),
  )
}
