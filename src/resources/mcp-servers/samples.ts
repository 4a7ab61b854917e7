import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { ResourceSamples } from '../../../test/resource-samples.ts'

const config = () => ({ server_url: inject('mcpServer'), auth_token: 'token', custom_headers: { 'X-Team': 'team' } })

export const samples: ResourceSamples = {
  create: () => ({ url: '/v1/mcp-servers/', body: { server_name: randomUUID(), config: config() } }),
  operations: {
    create_mcp_server: () => [{ body: { server_name: randomUUID(), config: config() } }],
    modify_mcp_server: () => [{ body: { server_name: randomUUID() } }, { body: {} }],
    mcp_oauth_callback: ({ one }) => [{ query: { state: `${one.org}.unknown` } }],
    put_named_mcp_server: () => [{ body: { server_name: randomUUID(), ...config() } }],
    test_named_mcp_server: () => [{ body: { server_name: randomUUID(), ...config() } }],
    connect_named_mcp_server: () => [{ body: { server_name: randomUUID(), ...config() } }],
    modify_named_mcp_server: () => [{ body: {} }],
    execute_tool_of_named_mcp_server: () => [{ body: { args: { message: 'Hello' } } }],
    run_tool_of_mcp_server: () => [{ body: { args: { message: 'Hello' } } }],
  },
}
