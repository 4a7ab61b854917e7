import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

type Json = Record<string, unknown>

/** An entry of an agent file: a tool, a block or an agent. `id` is the file's own, such as `tool-0`. */
export type Entry = Json & { id: string }
export type ToolEntry = Entry & { name: string; tool_type: string }
export type BlockEntry = Entry & { label: string; value: string }
export type AgentEntry = Entry & {
  name: string
  tool_ids: string[]
  block_ids: string[]
  tags: string[]
  tool_rules: Json[]
  secrets: Record<string, string>
}

/** An agent file whose references all resolve. */
export interface AgentFile {
  name: string
  tools: ToolEntry[]
  blocks: BlockEntry[]
  agents: AgentEntry[]
}

/** An invalid file. The message names the file and the position of the problem. */
export class BadAgentFile extends Error {}

/** Checks for the parts of one file. Each throws a BadAgentFile that names the file and the position. */
function inspect(file: string) {
  function fail(place: string, problem: string): never {
    throw new BadAgentFile(`${file}: ${place ? `${place} ` : ''}${problem}`)
  }
  function object(value: unknown, place: string): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(place, 'must be an object')
    return value as Json
  }
  function text(value: unknown, place: string): string {
    if (typeof value !== 'string') fail(place, 'must be a string')
    return value
  }
  /** A list, which is empty if absent or null. */
  function list<T>(value: unknown, place: string, item: (value: unknown, place: string) => T): T[] {
    if (value === undefined || value === null) return []
    if (!Array.isArray(value)) fail(place, 'must be an array')
    return value.map((one, i) => item(one, `${place}[${i}]`))
  }
  /** A list of entries, each with an id of its own. */
  function entries<T extends Entry>(value: unknown, place: string, check: (entry: Json, place: string) => Json): T[] {
    const seen = new Set<string>()
    return list(value, place, (one, at) => {
      const entry = object(one, at)
      const id = text(entry.id, `${at}.id`)
      if (seen.has(id)) fail(`${at}.id`, `"${id}" is there twice`)
      seen.add(id)
      return check(entry, at) as T
    })
  }
  return { fail, object, text, list, entries }
}

function parse(file: string, text: string): unknown {
  let place = ''
  let value: unknown = text
  // Some programs write agent files as JSON inside a JSON string.
  do {
    try {
      value = JSON.parse(value as string)
    } catch (error) {
      throw new BadAgentFile(`${file}: ${place}isn't JSON: ${(error as Error).message}`)
    }
    place = 'the text inside the JSON string '
  } while (typeof value === 'string')
  return value
}

/**
 * The agents of a file, with the tools and blocks they refer to. Throws a BadAgentFile with the file and the position if
 * the file can't be read, isn't JSON, or refers to an entry that it doesn't contain.
 */
export function readAgentFile(path: string): AgentFile {
  const name = basename(path)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new BadAgentFile(`${path}: can't be read: ${(error as Error).message}`)
  }
  return checkAgentFile(path, name, parse(path, text))
}

function checkAgentFile(path: string, name: string, content: unknown): AgentFile {
  const see = inspect(path)
  const file = see.object(content, 'the content')
  if (!Array.isArray(file.agents) || file.agents.length === 0)
    see.fail('agents', 'must be an array with an agent in it')

  const tools = see.entries<ToolEntry>(file.tools, 'tools', (tool, at) => {
    see.text(tool.name, `${at}.name`)
    see.text(tool.tool_type, `${at}.tool_type`)
    if (tool.tool_type === 'custom') {
      see.text(tool.source_code, `${at}.source_code`)
      see.text(see.object(tool.json_schema, `${at}.json_schema`).name, `${at}.json_schema.name`)
    }
    return tool
  })
  const blocks = see.entries<BlockEntry>(file.blocks, 'blocks', (block, at) => {
    see.text(block.label, `${at}.label`)
    see.text(block.value, `${at}.value`)
    return block
  })

  /** A list of ids of entries in `known`. */
  const refs = (value: unknown, place: string, known: Entry[], what: string) =>
    see.list(value, place, (one, at) => {
      const id = see.text(one, at)
      if (!known.some((entry) => entry.id === id)) see.fail(at, `names "${id}", which is not among the file's ${what}`)
      return id
    })

  const agents = see.entries<AgentEntry>(file.agents, 'agents', (agent, at) => {
    // `tool_exec_environment_variables` is the older name; exported files carry both, one of them empty.
    const secrets = {
      ...see.object(agent.tool_exec_environment_variables ?? {}, `${at}.tool_exec_environment_variables`),
    }
    Object.assign(secrets, see.object(agent.secrets ?? {}, `${at}.secrets`))
    const block_ids = refs(agent.block_ids, `${at}.block_ids`, blocks, 'blocks')
    const labels = block_ids.map((id) => blocks.find((block) => block.id === id)!.label)
    const twice = labels.find((label, i) => labels.indexOf(label) !== i)
    if (twice !== undefined) see.fail(`${at}.block_ids`, `names two blocks labelled "${twice}"`)
    for (const [key, value] of Object.entries(secrets)) see.text(value ?? '', `${at}.secrets.${key}`)
    return {
      ...agent,
      name: see.text(agent.name, `${at}.name`),
      tool_ids: refs(agent.tool_ids, `${at}.tool_ids`, tools, 'tools'),
      block_ids,
      tags: see.list(agent.tags, `${at}.tags`, see.text),
      tool_rules: see.list(agent.tool_rules, `${at}.tool_rules`, see.object),
      secrets: Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, value ?? ''])),
    }
  })
  return { name, tools, blocks, agents }
}
