import { inBody, type ValidationIssue } from '../../lib/errors.ts'
import { joinPlaces } from './fit.ts'
import type { AgentFileParts } from './schema.ts'

/** What a file names and doesn't hold, and what is there twice. */
export function* referenceFaults(file: AgentFileParts): Generator<ValidationIssue> {
  const { agents, blocks, tools, groups, sources, files } = file
  const known = new Map<string, Set<string>>()
  for (const [kind, parts] of Object.entries({ agents, blocks, tools, groups, sources, files })) {
    const ids = new Set<string>()
    for (const { id, at } of parts) {
      if (ids.has(id)) yield inBody(joinPlaces(at, 'id'), `"${id}" is there twice`)
      ids.add(id)
    }
    known.set(kind, ids)
  }
  function* refs(kind: string, ids: readonly string[] | null | undefined, at: string, among = known.get(kind)!) {
    for (const [n, id] of (ids ?? []).entries()) {
      if (!among.has(id)) yield inBody(`${at}[${n}]`, `names "${id}", which is not among the file's ${kind}`)
    }
  }
  const ref = function* (kind: string, id: string | null | undefined, at: string) {
    for (const { message } of refs(kind, id == null ? [] : [id], at)) yield inBody(at, message)
  }

  const toolNames = new Set<string>()
  for (const { at, name, json_schema } of tools) {
    const told = json_schema?.name
    if (name == null && typeof told !== 'string') yield inBody(joinPlaces(at, 'name'), 'is required')
    if (name != null && told !== undefined && told !== name) {
      yield inBody(joinPlaces(at, 'json_schema.name'), `must be the name of the tool, "${name}"`)
    }
    const called = name ?? String(told)
    if (toolNames.has(called)) yield inBody(joinPlaces(at, 'name'), `"${called}" is the name of two tools`)
    toolNames.add(called)
  }
  const labels = new Map(blocks.map(({ id, label }) => [id, label]))
  const folderOf = new Map(files.map(({ id, source_id }) => [id, source_id]))
  for (const { at, source_id } of files) yield* ref('sources', source_id, joinPlaces(at, 'source_id'))
  for (const agent of agents) {
    const place = (field: string) => joinPlaces(agent.at, field)
    yield* refs('blocks', agent.block_ids, place('block_ids'))
    yield* refs('tools', agent.tool_ids, place('tool_ids'))
    yield* refs('sources', agent.source_ids, place('source_ids'))
    yield* refs('sources', agent.folder_ids, place('folder_ids'))
    yield* refs('groups', agent.group_ids, place('group_ids'))
    const all = [
      ...new Set(agent.block_ids).values().map((id) => labels.get(id)),
      ...(agent.memory_blocks ?? []).map(({ label }) => label),
    ].filter((label) => label != null)
    const seen = new Set<string>()
    for (const label of all) {
      if (seen.has(label)) yield inBody(place('block_ids'), `names two blocks labelled "${label}"`)
      seen.add(label)
    }
    const said = new Set<string>()
    for (const { at, id } of agent.messages) {
      if (said.has(id)) yield inBody(joinPlaces(at, 'id'), `"${id}" is there twice`)
      said.add(id)
    }
    yield* refs('messages', agent.in_context_message_ids, place('in_context_message_ids'), said)
    for (const [n, { file_id, source_id }] of (agent.files_agents ?? []).entries()) {
      const at = place(`files_agents[${n}]`)
      yield* ref('files', file_id, `${at}.file_id`)
      if (source_id != null && folderOf.has(file_id) && folderOf.get(file_id) !== source_id) {
        yield inBody(`${at}.source_id`, `names "${source_id}", which is not where the file "${file_id}" lies`)
      }
    }
  }
  for (const { at, agent_ids, shared_block_ids, manager_config } of groups) {
    yield* refs('agents', agent_ids, joinPlaces(at, 'agent_ids'))
    yield* refs('blocks', shared_block_ids, joinPlaces(at, 'shared_block_ids'))
    yield* ref('agents', manager_config?.manager_agent_id, joinPlaces(at, 'manager_config.manager_agent_id'))
  }
}
