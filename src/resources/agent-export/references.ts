import { inBody, type ValidationIssue } from '../../lib/errors.ts'
import type { AgentFileParts, Placed, PlacedAgent, ToolEntry } from './entry-schema.ts'
import { joinPlaces } from './fit.ts'

type Issues = Generator<ValidationIssue>
type Section = 'agents' | 'blocks' | 'tools' | 'groups' | 'sources' | 'files'
type References = readonly string[] | null | undefined

/** The issues of a file's references: ids and names that occur twice, and references to parts that the file lacks. */
export function* referenceIssues(file: AgentFileParts): Issues {
  const { agents, blocks, tools, groups, sources, files } = file
  const ids = new Map<string, Set<string>>()
  for (const [section, parts] of Object.entries({ agents, blocks, tools, groups, sources, files })) {
    ids.set(section, yield* uniqueIds(parts))
  }
  const check = (section: Section, references: References, at: string) =>
    referencesAmong(section, ids.get(section)!, references, at)
  const checkOne = (section: Section, id: string | null | undefined, at: string) =>
    referenceAmong(section, ids.get(section)!, id, at)

  yield* toolNameIssues(tools)
  for (const { at, source_id } of files) yield* checkOne('sources', source_id, joinPlaces(at, 'source_id'))
  const labels = new Map(blocks.map(({ id, label }) => [id, label]))
  const folderOfFile = new Map(files.map(({ id, source_id }) => [id, source_id]))
  for (const agent of agents) {
    const place = (field: string) => joinPlaces(agent.at, field)
    yield* check('blocks', agent.block_ids, place('block_ids'))
    yield* check('tools', agent.tool_ids, place('tool_ids'))
    yield* check('sources', agent.source_ids, place('source_ids'))
    yield* check('sources', agent.folder_ids, place('folder_ids'))
    yield* check('groups', agent.group_ids, place('group_ids'))
    yield* labelIssues(agent, labels)
    yield* messageIssues(agent)
    yield* openFileIssues(agent, folderOfFile)
  }
  for (const { at, agent_ids, shared_block_ids, manager_config } of groups) {
    yield* check('agents', agent_ids, joinPlaces(at, 'agent_ids'))
    yield* check('blocks', shared_block_ids, joinPlaces(at, 'shared_block_ids'))
    yield* checkOne('agents', manager_config?.manager_agent_id, joinPlaces(at, 'manager_config.manager_agent_id'))
  }
}

/** The ids of parts. An id that occurs twice is an issue. */
function* uniqueIds(parts: readonly Placed<{ id: string }>[]): Generator<ValidationIssue, Set<string>> {
  const ids = new Set<string>()
  for (const { id, at } of parts) {
    if (ids.has(id)) yield inBody(joinPlaces(at, 'id'), `"${id}" is there twice`)
    ids.add(id)
  }
  return ids
}

const missing = (id: string, section: string) => `names "${id}", which is not among the file's ${section}`

function* referencesAmong(section: string, ids: ReadonlySet<string>, references: References, at: string): Issues {
  for (const [n, id] of (references ?? []).entries()) {
    if (!ids.has(id)) yield inBody(`${at}[${n}]`, missing(id, section))
  }
}

function* referenceAmong(
  section: string,
  ids: { has(id: string): boolean },
  id: string | null | undefined,
  at: string,
): Issues {
  if (id != null && !ids.has(id)) yield inBody(at, missing(id, section))
}

/** Every tool has one name of its own. */
function* toolNameIssues(tools: readonly Placed<ToolEntry>[]): Issues {
  const names = new Set<string>()
  for (const { at, name, json_schema } of tools) {
    const schemaName = json_schema?.name
    if (name == null && typeof schemaName !== 'string') yield inBody(joinPlaces(at, 'name'), 'is required')
    if (name != null && schemaName !== undefined && schemaName !== name) {
      yield inBody(joinPlaces(at, 'json_schema.name'), `must be the name of the tool, "${name}"`)
    }
    const toolName = name ?? String(schemaName)
    if (names.has(toolName)) yield inBody(joinPlaces(at, 'name'), `"${toolName}" is the name of two tools`)
    names.add(toolName)
  }
}

/** The blocks of an agent have different labels. */
function* labelIssues(agent: PlacedAgent, labels: ReadonlyMap<string, string | null | undefined>): Issues {
  const attached = [...new Set(agent.block_ids)].map((id) => labels.get(id))
  const inline = (agent.memory_blocks ?? []).map(({ label }) => label)
  const seen = new Set<string>()
  for (const label of [...attached, ...inline]) {
    if (label == null) continue
    if (seen.has(label)) yield inBody(joinPlaces(agent.at, 'block_ids'), `names two blocks labelled "${label}"`)
    seen.add(label)
  }
}

/** The messages in context are the agent's. */
function* messageIssues(agent: PlacedAgent): Issues {
  const ids = yield* uniqueIds(agent.messages)
  const at = joinPlaces(agent.at, 'in_context_message_ids')
  yield* referencesAmong('messages', ids, agent.in_context_message_ids, at)
}

/** The files that an agent sees are in the file, and in the folders that it names for them. */
function* openFileIssues(agent: PlacedAgent, folderOfFile: ReadonlyMap<string, string>): Issues {
  for (const [n, { file_id, source_id }] of (agent.files_agents ?? []).entries()) {
    const at = joinPlaces(agent.at, `files_agents[${n}]`)
    yield* referenceAmong('files', folderOfFile, file_id, `${at}.file_id`)
    if (source_id != null && folderOfFile.has(file_id) && folderOfFile.get(file_id) !== source_id) {
      yield inBody(`${at}.source_id`, `names "${source_id}", which is not where the file "${file_id}" lies`)
    }
  }
}
