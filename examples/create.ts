import type { AgentFile, ToolEntry } from './agent-file.ts'
import { type Call, CallFailed } from './api.ts'
import { agentBody, blockBody, isCustom, toolBody } from './bodies.ts'

interface Tool {
  id: string
  name: string
  source_code?: string
}

export interface Block {
  id: string
  label: string
  value: string
  limit: number
  read_only?: boolean
}

interface Named {
  id: string
  name: string
}

/** The server's tool for a tool of a file: created from it, existing, or existing with another source. */
export interface UsedTool {
  tool: Tool
  origin: 'created' | 'existing' | 'different'
}

/** The resources created from the files. */
export interface Created {
  tools: UsedTool[]
  blocks: Block[]
  agents: Named[]
  archive: Named
  folder: Named
  group: { id: string }
}

const toolsNamed = (call: Call, names: string[]) => {
  const query = new URLSearchParams({ limit: '200' })
  for (const name of names) query.append('names', name)
  return call<Tool[]>('GET', `/v1/tools/?${query}`)
}

/** The built-in tools that the files use, by name. Throws if the server lacks one. */
async function findBuiltins(call: Call, files: AgentFile[]): Promise<Map<string, Tool>> {
  const wanted = files.flatMap(({ name, tools }) =>
    tools.filter((t) => !isCustom(t)).map((t) => ({ ...t, file: name })),
  )
  if (wanted.length === 0) return new Map()
  const tools = await toolsNamed(call, [...new Set(wanted.map(({ name }) => name))])
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const lacking = wanted.find(({ name }) => !byName.has(name))
  if (lacking) {
    throw new CallFailed(
      `${lacking.file} uses the tool "${lacking.name}" (${lacking.tool_type}), which this server doesn't have.`,
    )
  }
  return byName
}

/** Creates a tool, or finds the existing tool of that name. */
async function createTool(call: Call, entry: ToolEntry): Promise<UsedTool> {
  try {
    return { tool: await call<Tool>('POST', '/v1/tools/', toolBody(entry)), origin: 'created' }
  } catch (error) {
    if (!(error instanceof CallFailed && error.status === 409)) throw error
    const [tool] = await toolsNamed(call, [entry.name])
    if (!tool) throw error
    return { tool, origin: tool.source_code === entry.source_code ? 'existing' : 'different' }
  }
}

/**
 * Creates the tools, blocks and agents of the files, and an archive, a folder and a group for the agents. `run` makes
 * names unique; the agents get `tags` besides their own.
 */
export async function createAll(call: Call, files: AgentFile[], run: string, tags: string[]): Promise<Created> {
  const builtins = await findBuiltins(call, files)
  const tools: UsedTool[] = []
  const blocks: Block[] = []
  const agents: Named[] = []

  for (const file of files) {
    /** The server's ids by the ids of the file. */
    const ids = new Map<string, string>()
    for (const entry of file.tools) {
      const builtin = builtins.get(entry.name)
      const used = isCustom(entry) ? await createTool(call, entry) : { tool: builtin!, origin: 'existing' as const }
      tools.push(used)
      ids.set(entry.id, used.tool.id)
    }
    for (const entry of file.blocks) {
      const block = await call<Block>('POST', '/v1/blocks/', blockBody(entry))
      blocks.push(block)
      ids.set(entry.id, block.id)
    }
    for (const entry of file.agents) {
      const body = agentBody(entry, {
        tool_ids: entry.tool_ids.map((id) => ids.get(id)!),
        block_ids: entry.block_ids.map((id) => ids.get(id)!),
        tags,
        secrets: { QUICKSTART_TOKEN: 'not-a-real-token' },
      })
      agents.push(await call<Named>('POST', '/v1/agents/', body))
    }
  }

  // The built-in embedding model: it needs no key and no network.
  const embedding = 'cairn/lexical'
  const archive = await call<Named>('POST', '/v1/archives/', {
    name: `Notes of ${agents[0]!.name}`,
    description: 'What the agent keeps for later.',
    embedding,
  })
  await call('PATCH', `/v1/agents/${agents[0]!.id}/archives/attach/${archive.id}`)

  const folder = await call<Named>('POST', '/v1/folders/', {
    name: `Quickstart ${run}`,
    description: 'Files every agent of this run can read.',
    instructions: 'Look here before you search the web.',
    embedding,
  })
  for (const agent of agents) await call('PATCH', `/v1/agents/${agent.id}/folders/attach/${folder.id}`)

  const group = await call<{ id: string }>('POST', '/v1/groups/', {
    agent_ids: agents.map(({ id }) => id),
    description: `All agents of run ${run}, speaking in turn.`,
    manager_config: { manager_type: 'round_robin', max_turns: 2 * agents.length },
  })

  return { tools, blocks, agents, archive, folder, group }
}
