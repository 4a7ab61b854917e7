import type { ResourceSamples } from '../../../test/resource-samples.ts'

/** Packages that no tool imports: the tests of other resources run tools. */
const config = { use_venv: false, pip_requirements: [{ name: 'requests', version: '2.32.3' }] }

export const samples: ResourceSamples = {
  create: () => ({ url: '/v1/sandbox-config/', body: { config } }),
  operations: {
    create_sandbox_config: () => [{ body: { config } }, { body: { config: { timeout: 60, template: 'base' } } }],
    create_custom_local_sandbox_config: () => [{ body: config }, { body: {} }],
    modify_sandbox_config: () => [{ body: { config: { use_venv: false } } }, { body: {} }],
  },
}
