import type { ResourceSamples } from '../../../../test/resource-samples.ts'

const messages = [{ role: 'user', content: 'Good morning' }]
const recurring = { type: 'recurring', cron_expression: '0 9 * * *', timezone: 'Europe/Berlin' }

export const samples: ResourceSamples = {
  create: ({ agent }) => ({ url: `/v1/agents/${agent}/schedule`, body: { messages, schedule: recurring } }),
  operations: {
    create_schedule: () => [
      { body: { messages, schedule: recurring } },
      { body: { messages, schedule: { type: 'one-time', scheduled_at: Date.now() + 86_400_000 } } },
    ],
    modify_schedule: () => [{ body: { paused: true } }, { body: { schedule: recurring, paused: false } }],
  },
}
