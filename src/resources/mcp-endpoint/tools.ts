/** A tool of the MCP server: an operation of the API, with the parameters of the operation that a model needs. */
export interface McpTool {
  /** The id of the operation, which is the name of the tool. */
  operation: string
  description: string
  /** Names of parameters of the path and the query, and of fields of the body. */
  parameters: readonly string[]
  /** Of these at least. The parameters of the path are always required. */
  required?: readonly string[]
  /** Whether the tool only reads, though its operation is a POST. */
  reads?: boolean
}

const PAGE = ['limit', 'after'] as const

/** The tools of the MCP server. */
export const MCP_TOOLS: readonly McpTool[] = [
  {
    operation: 'list_agents',
    description: 'List agents, newest first. A page has 50; `after` is the id of the last agent of the page before.',
    parameters: ['name', 'query_text', 'tags', ...PAGE],
  },
  {
    operation: 'retrieve_agent',
    description: 'Retrieve one agent, with its model, its system prompt and its settings.',
    parameters: ['agent_id'],
  },
  {
    operation: 'create_agent',
    description: 'Create an agent with memory blocks and tools. Without a model, the agent has the default model.',
    parameters: ['name', 'description', 'system', 'model', 'memory_blocks', 'tools', 'tags'],
  },
  {
    operation: 'modify_agent',
    description: 'Change the name, the description, the system prompt, the model or the tags of an agent.',
    parameters: ['agent_id', 'name', 'description', 'system', 'model', 'tags'],
  },
  { operation: 'delete_agent', description: 'Delete an agent with its messages.', parameters: ['agent_id'] },
  {
    operation: 'send_message',
    description:
      'Send a message to an agent, and wait for its response: the agent thinks, uses its memory and its tools, and answers.',
    parameters: ['agent_id', 'input'],
    required: ['input'],
  },
  {
    operation: 'list_messages',
    description: 'List the messages of an agent, newest first.',
    parameters: ['agent_id', 'limit', 'after', 'order'],
  },
  {
    operation: 'search_messages',
    description: 'Search the messages of all agents, or of one agent, by words and by meaning.',
    parameters: ['query', 'agent_id', 'limit'],
    required: ['query'],
    reads: true,
  },
  {
    operation: 'list_conversations',
    description: 'List conversations, newest first; of one agent, if `agent_id` names it.',
    parameters: ['agent_id', ...PAGE],
  },
  {
    operation: 'list_blocks_of_agent',
    description: 'List the memory blocks of an agent with their values.',
    parameters: ['agent_id', ...PAGE],
  },
  {
    operation: 'modify_block_of_agent',
    description: 'Change a memory block of an agent, named by its label. The value replaces the old value.',
    parameters: ['agent_id', 'label', 'value', 'description'],
  },
  {
    operation: 'list_blocks',
    description: 'List memory blocks, newest first. Several agents may share a block.',
    parameters: ['label', 'value_search', ...PAGE],
  },
  {
    operation: 'create_block',
    description: 'Create a memory block, which agents can be given.',
    parameters: ['label', 'value', 'description', 'limit'],
  },
  {
    operation: 'modify_block',
    description: 'Change a memory block. Every agent that has the block sees the change.',
    parameters: ['block_id', 'value', 'label', 'description', 'limit'],
  },
  {
    operation: 'attach_block_to_agent',
    description: 'Give an agent a memory block, which it then shares with the other agents that have the block.',
    parameters: ['agent_id', 'block_id'],
  },
  {
    operation: 'create_passage_of_agent',
    description: 'Store a text in the archival memory of an agent.',
    parameters: ['agent_id', 'text', 'tags'],
    required: ['text'],
  },
  {
    operation: 'search_archival_memory',
    description: 'Search the archival memory of an agent.',
    parameters: ['agent_id', 'query', 'tags', 'top_k'],
    required: ['query'],
  },
  {
    operation: 'search_passages',
    description: 'Search the passages of an archive, or of all archives, by words and by meaning.',
    parameters: ['query', 'archive_id', 'agent_id', 'tags', 'limit'],
    required: ['query'],
    reads: true,
  },
  {
    operation: 'list_archives',
    description: 'List archives, newest first.',
    parameters: ['name', 'agent_id', ...PAGE],
  },
  {
    operation: 'list_tools',
    description: 'List the tools that agents can be given.',
    parameters: ['name', 'search', ...PAGE],
  },
  {
    operation: 'attach_tool_to_agent',
    description: 'Give an agent a tool.',
    parameters: ['agent_id', 'tool_id'],
  },
  {
    operation: 'list_approvals',
    description: 'List the calls of tools that wait for an approval, oldest first.',
    parameters: [...PAGE],
  },
  {
    operation: 'list_runs',
    description: 'List runs of agents, newest first, with their status and the reason why they ended.',
    parameters: ['agent_id', 'statuses', ...PAGE],
  },
]
