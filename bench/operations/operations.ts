import { INCLUDES } from '../../src/resources/agents/query.ts'
import { agentBody, blockValue, importForm } from './bodies.ts'
import type { Targets } from './targets.ts'

/** A request of the API. */
export interface Call {
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  body?: string
  /** `application/json` if absent. */
  contentType?: string
}

/** A measured operation: the same request again and again, or updates, each of another block and to another value. */
export interface Operation {
  name: string
  call: Call
  /** The blocks that are updated in turn; the first is the one of `call`. */
  blockIds?: string[] | undefined
  /** The key of another organization, for operations that create something: the measured lists must not grow. */
  key?: string | undefined
}

/** The nth update: the path of the nth block, and a body with the nth value. */
export const updateRequest = (blockIds: readonly string[], writer: string, n: number) => ({
  path: `/v1/blocks/${blockIds[n % blockIds.length]}`,
  body: JSON.stringify({ value: blockValue(writer, n) }),
})

const ALL_INCLUDES = INCLUDES.map((include) => `include=${include}`).join('&')

const get = (name: string, path: string): Operation => ({ name, call: { method: 'GET', path } })

const post = (name: string, path: string, key: string, body: Pick<Call, 'body' | 'contentType'>): Operation => ({
  name,
  call: { method: 'POST', path, ...body },
  key,
})

/** The operations on the data of an organization. Those that create something do so with `otherKey`. */
export function createOperations(targets: Targets, otherKey: string): Operation[] {
  const { deepAgentId, groupId, blockIds, toolIds } = targets
  return [
    get('list_archives', '/v1/archives/'),
    get('list_folders', '/v1/folders/'),
    get('retrieve_group', `/v1/groups/${groupId}`),
    { name: 'update_block', call: { method: 'PATCH', ...updateRequest(blockIds, 'captured', 0) }, blockIds },
    get('list_agents', '/v1/agents/?limit=50'),
    get('list_agents_all_includes', `/v1/agents/?limit=50&${ALL_INCLUDES}`),
    get('list_agents_deep', `/v1/agents/?limit=50&after=${deepAgentId}`),
    get('list_tools', '/v1/tools/'),
    get('retrieve_agent', `/v1/agents/${deepAgentId}?${ALL_INCLUDES}`),
    post('create_agent', '/v1/agents/', otherKey, { body: agentBody(toolIds) }),
    post('import_agent_file', '/v1/agents/import', otherKey, importForm()),
  ]
}

/** Pairs of operations whose costs are compared, by the name of the ratio. */
export type ComparedPairs = Record<'deep_ratio' | 'includes_ratio_200' | 'letta_ratio_50', [Operation, Operation]>

/** The pairs of operations that the benchmark compares. */
export const createPairs = ({ deepAgentId }: Targets): ComparedPairs => ({
  deep_ratio: [
    get('deep page of 50 agents', `/v1/agents/?limit=50&after=${deepAgentId}`),
    get('50 agents', '/v1/agents/?limit=50'),
  ],
  includes_ratio_200: [
    get('200 agents with all includes', `/v1/agents/?limit=200&${ALL_INCLUDES}`),
    get('200 agents', '/v1/agents/?limit=200'),
  ],
  letta_ratio_50: [
    get('50 agents under /letta', '/letta/v1/agents/?limit=50'),
    get('50 agents', '/v1/agents/?limit=50'),
  ],
})
