import type { ResourceSamples } from '../../../test/resource-samples.ts'

const override_model = 'cairn/scripted'

export const samples: ResourceSamples = {
  create: ({ agent }) => ({
    url: '/v1/messages/batches/',
    body: { requests: [{ agent_id: agent, input: 'Hello', override_model }] },
  }),
  operations: {
    create_batch: ({ one, spareAgent }) => [
      { body: { requests: [{ agent_id: spareAgent, input: 'Hello', override_model }] } },
      {
        body: {
          requests: [
            { agent_id: spareAgent, messages: [{ role: 'user', content: 'Hi', group_id: one.group }], override_model },
          ],
        },
      },
    ],
  },
}
