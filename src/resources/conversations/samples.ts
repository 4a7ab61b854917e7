import type { ResourceSamples } from '../../../test/resource-samples.ts'

/** Messages by the model that needs no provider. */
const sent = { input: 'Hello', override_model: 'cairn/scripted' }

const sentMessages: ResourceSamples['operations'][string] = ({ one }) => [
  { body: { ...sent, agent_id: one.agent } },
  { body: { messages: [{ role: 'user', content: 'Hello', group_id: one.group }], override_model: 'cairn/scripted' } },
]

export const samples: ResourceSamples = {
  create: ({ agent }) => ({
    url: `/v1/conversations/?agent_id=${agent}`,
    body: { summary: 'Sample', model: 'cairn/scripted' },
  }),
  operations: {
    create_conversation: () => [{ body: { summary: 'Conversation' } }],
    update_conversation: () => [{ body: { summary: 'Changed' } }, { body: {} }],
    send_conversation_message: sentMessages,
    retrieve_conversation_stream: ({ one, spareAgent }) => [
      { path: { conversation_id: spareAgent }, body: { agent_id: spareAgent, run_id: one.run! } },
    ],
    fork_conversation: ({ one }) => [
      { path: { conversation_id: one.agent! }, query: { message_id: one.message! } },
      {},
    ],
    compact_conversation: ({ spareAgent }) => [
      {
        path: { conversation_id: spareAgent },
        body: { agent_id: spareAgent, compaction_settings: { mode: 'all', model: 'cairn/scripted' } },
      },
    ],
    recompile_conversation: ({ one }) => [{ body: { agent_id: one.agent } }],
    preview_conversation_raw_payload: sentMessages,
    cancel_conversation: ({ one, spareAgent }) => [
      { path: { conversation_id: spareAgent }, body: { run_ids: [one.run] } },
    ],
  },
}
