import type { Columns, Tables } from '../../db/tables.ts'
import { invalid, issuesOf, type ValidationIssue } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { NewThread } from '../messages/insert.ts'
import type { Catalog } from '../models/handles.ts'
import type { AgentFileParts } from './entry-schema.ts'
import { joinPlaces } from './fit.ts'

/** The issues of a file, collected from its parts. */
interface Issues {
  add(issue: ValidationIssue): void
  /** The result of `work`; undefined if it fails with a 422, whose issues are collected at their places within `place`. */
  at<T>(place: string, work: () => T): T | undefined
  /** 422 with every issue, if there is one. */
  check(): void
}

/** A list of issues, empty at first. */
function collectIssues(): Issues {
  const issues: ValidationIssue[] = []
  return {
    add: (issue) => issues.push(issue),
    at(place, work) {
      try {
        return work()
      } catch (error) {
        for (const issue of issuesOf(error)) issues.push({ ...issue, field: joinPlaces(place, issue.field) })
        return undefined
      }
    },
    check() {
      if (issues.length > 0) throw invalid(...issues)
    },
  }
}

export interface ImportOptions {
  name?: string | undefined
  append_copy_suffix?: boolean | undefined
  model?: string | undefined
  embedding?: string | undefined
  project_id?: string | undefined
  secrets: Record<string, string>
  override_existing_tools: boolean
  strip_messages: boolean
}

/** A row to be inserted, with the id it will have. */
export type PlannedRow<T extends keyof Tables> = Columns<T> & { id: string }

/** An agent to be inserted, with its attachments and with the rows that belong to it alone. */
export interface PlannedAgent {
  row: PlannedRow<'agents'> & { name: string }
  block_ids: string[]
  source_ids: string[]
  /** The blocks that the agent's entry holds itself. */
  blocks: PlannedRow<'blocks'>[]
  openFiles: PlannedRow<'files_agents'>[]
  thread: NewThread
  secrets: Record<string, string>
}

export interface PlannedGroup {
  row: PlannedRow<'groups'>
  agent_ids: string[]
  shared_block_ids: string[]
}

/** The rows of a file, but for its tools and the names of its folders: those depend on the organization's rows. */
export interface ImportPlan {
  agents: PlannedAgent[]
  blocks: PlannedRow<'blocks'>[]
  folders: (PlannedRow<'folders'> & { name: string })[]
  files: PlannedRow<'files'>[]
  groups: PlannedGroup[]
}

/** The ids of the planned rows by the file's own ids. */
export type NewIds = Record<'agents' | 'blocks' | 'sources' | 'files' | 'groups', ReadonlyMap<string, string>>

/** The values that the plans of all parts of a file share. */
export interface PlanContext {
  options: ImportOptions
  defaultModel: string
  catalog: Catalog
  ids: NewIds
  /** The new id of each file's folder, by the file's own id of the file. */
  folderOfFile: ReadonlyMap<string, string>
  /** The file's own ids of the agents whose memory a group of the file manages. */
  withPartner: ReadonlySet<string>
  issues: Issues
}

/** The context of the plans of a file's parts, with new ids for them. */
export function planContext(
  file: AgentFileParts,
  settings: Pick<PlanContext, 'options' | 'defaultModel' | 'catalog'>,
): PlanContext {
  const ids = newIds(file)
  const managers = file.groups.flatMap(({ manager_config: manager }) =>
    manager?.manager_type?.endsWith('sleeptime') ? [manager.manager_agent_id!] : [],
  )
  return {
    ...settings,
    ids,
    folderOfFile: new Map(file.files.map(({ id, source_id }) => [id, ids.sources.get(source_id)!])),
    withPartner: new Set(managers),
    issues: collectIssues(),
  }
}

/** New ids for the parts of a file. */
function newIds({ agents, blocks, sources, files, groups }: AgentFileParts): NewIds {
  const idsFor = (prefix: Parameters<typeof newId>[0], parts: readonly { id: string }[]) =>
    new Map(parts.map(({ id }) => [id, newId(prefix)]))
  return {
    agents: idsFor('agent', agents),
    blocks: idsFor('block', blocks),
    sources: idsFor('source', sources),
    files: idsFor('file', files),
    groups: idsFor('group', groups),
  }
}
