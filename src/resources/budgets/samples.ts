import type { ResourceSamples } from '../../../test/resource-samples.ts'

export const samples: ResourceSamples = {
  create: ({ agent }) => ({ url: '/v1/budgets/', body: { agent_id: agent, runs: 1_000_000 } }),
  operations: {
    create_budget: ({ spareAgent, one }) => [
      { body: { agent_id: spareAgent, tokens: 1_000_000_000 } },
      { body: { api_key_id: one.api_key, cost: 1_000 } },
    ],
    modify_budget: () => [{ body: { runs: 2_000_000 } }, { body: {} }],
  },
}
