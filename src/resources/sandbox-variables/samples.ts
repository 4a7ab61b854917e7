import { randomUUID } from 'node:crypto'
import type { ResourceSamples } from '../../../test/resource-samples.ts'

/** A key that no other variable has. */
const fresh = () => `K${randomUUID().replaceAll('-', '')}`

export const samples: ResourceSamples = {
  create: ({ sandbox }) => ({
    url: `/v1/sandbox-config/${sandbox}/environment-variable`,
    body: { key: fresh(), value: 'hidden', description: 'Sample' },
  }),
  operations: {
    create_sandbox_env_var: () => [{ body: { key: fresh(), value: 'other' } }],
    modify_sandbox_env_var: () => [{ body: { value: 'changed' } }, { body: { description: null } }, { body: {} }],
  },
}
