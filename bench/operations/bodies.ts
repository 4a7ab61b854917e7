const PROSE =
  'The person prefers short answers, works from Tuesday to Friday, and keeps notes of every meeting. '.repeat(3)

/** A block's value of about 300 characters, different for each `n` and `writer`. */
export const blockValue = (writer: string, n: number): string => `${writer} ${n}. ${PROSE}`

/** The body that creates an agent with four blocks, the given tools, three tags and two secrets. */
export const agentBody = (toolIds: readonly string[]): string =>
  JSON.stringify({
    name: 'Made',
    include_base_tools: false,
    memory_blocks: ['persona', 'human', 'notes', 'plan'].map((label) => ({ label, value: PROSE })),
    tool_ids: toolIds,
    tags: ['made', 'bench', 'often'],
    secrets: { API_TOKEN: 'a secret', BASE_URL: 'https://example.com' },
  })

const FILE_BYTES = 200_000
/** The JSON around the prose of a message. */
const MESSAGE_OVERHEAD_BYTES = 135
const BOUNDARY = 'cairn-bench'

const message = (n: number) => ({
  id: `message-${n}`,
  role: n === 0 ? 'system' : n % 2 ? 'user' : 'assistant',
  content: [{ type: 'text', text: PROSE }],
  created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
})

/** An agent file of about 200 KB, nearly all of it messages. */
function agentFile(): string {
  const length = Math.floor(FILE_BYTES / (PROSE.length + MESSAGE_OVERHEAD_BYTES))
  const messages = Array.from({ length }, (_, n) => message(n))
  const blocks = ['persona', 'human'].map((label, n) => ({ id: `block-${n}`, label, value: PROSE, limit: 5_000 }))
  const agent = {
    id: 'agent-0',
    name: 'Imported',
    agent_type: 'letta_v1_agent',
    system: PROSE,
    tags: ['imported'],
    block_ids: blocks.map(({ id }) => id),
    messages,
    in_context_message_ids: messages.slice(-20).map(({ id }) => id),
  }
  return JSON.stringify({ agents: [agent], groups: [], blocks, files: [], sources: [], tools: [], mcp_servers: [] })
}

/** The multipart form that imports an agent file. */
export const importForm = (): { body: string; contentType: string } => ({
  body:
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="agent.af"\r\n` +
    `Content-Type: application/json\r\n\r\n${agentFile()}\r\n--${BOUNDARY}--\r\n`,
  contentType: `multipart/form-data; boundary=${BOUNDARY}`,
})
