import { inBody, invalid, MAX_ISSUES, type ValidationIssue } from '../../lib/errors.ts'
import { storageIssue } from '../../lib/json.ts'
import {
  AgentEntry,
  type AgentFileParts,
  BlockEntry,
  FileEntry,
  GroupEntry,
  MessageEntry,
  type Placed,
  SourceEntry,
  ToolEntry,
} from './entry-schema.ts'
import { byReference, type Fitting, fit, joinPlaces } from './fit.ts'
import { isLegacy, isObject, type Part, partsOf, type Sections, sectionsOfLegacy } from './legacy.ts'
import { parseAgentFile } from './parse.ts'
import { referenceIssues } from './references.ts'

/** The rules by which a file is read. */
export interface Format {
  /** The issues of a value under a schema, at places within the value. */
  check(schema: object, value: unknown): ValidationIssue[]
  /** The named shapes that schemas refer to. */
  shapes: readonly object[]
}

/** The most warnings that the response to an import lists. */
const MAX_WARNINGS = 50

function sectionsOf(file: Record<string, unknown>): Sections {
  if (isLegacy(file)) return sectionsOfLegacy(file)
  const agents = partsOf(file.agents, 'agents').map(({ at, value }) => {
    if (!isObject(value)) return { at, value, messages: [] }
    const { messages, ...agent } = value
    return { at, value: agent, messages: partsOf(messages, `${at}.messages`) }
  })
  if (agents.length === 0) throw invalid(inBody('agents', 'must hold an agent at least'))
  const section = (name: string) => partsOf(file[name], name)
  return {
    renamed: new Map(),
    agents,
    blocks: section('blocks'),
    tools: section('tools'),
    groups: section('groups'),
    sources: section('sources'),
    files: section('files'),
  }
}

/** The warnings of a section that this server can't store yet. */
const skillWarnings = (file: Record<string, unknown>): string[] =>
  partsOf(file.skills, 'skills').map(({ at, value }) => {
    const name = isObject(value) ? ` ${JSON.stringify(value.name)}` : ''
    return `${at}${name}: left out, as skills can't be imported yet`
  })

const mcpServersIn = (file: Record<string, unknown>) =>
  partsOf(file.mcp_servers, 'mcp_servers').map(({ at, value }) => ({
    at,
    name: String(isObject(value) ? value.server_name : ''),
  }))

/**
 * The parts of an agent file, from its text: of the current format or the older one of a single agent, with our names
 * or the vendor's, as JSON or as JSON inside a JSON string. 400 for text that isn't JSON; 422 with the place of every
 * issue, 100 at most.
 */
export function readAgentFile(text: string, { check, shapes }: Format): AgentFileParts {
  const references = byReference(shapes)
  const file = parseAgentFile(text)
  if (!isObject(file)) throw invalid(inBody('file', 'must be a JSON object'))
  const unstorable = storageIssue(file)
  if (unstorable) throw invalid(inBody(unstorable.path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'), unstorable.message))
  const { renamed, ...sections } = sectionsOf(file)
  const issues: ValidationIssue[] = []
  const warnings = skillWarnings(file)

  function read<T>(schema: object, parts: readonly Part[]): Placed<T>[] {
    return parts.flatMap(({ at, value }) => {
      if (issues.length > MAX_ISSUES) return []
      const fitting: Fitting = { shapes: references, unknown: [], renamed: new Map() }
      const fitted = fit(schema, value, fitting)
      for (const { field, message } of check(schema, fitted)) {
        issues.push(inBody(joinPlaces(at, fitting.renamed.get(field) ?? field), message))
      }
      for (const key of fitting.unknown)
        warnings.push(`${joinPlaces(at, key)}: left out, as there is no place for it here`)
      return [{ ...(fitted as T), at }]
    })
  }

  const parts: AgentFileParts = {
    agents: sections.agents.map((part) => ({
      ...(read<AgentEntry>(AgentEntry, [part])[0] as Placed<AgentEntry>),
      messages: read<MessageEntry>(MessageEntry, part.messages),
    })),
    blocks: read(BlockEntry, sections.blocks),
    tools: read(ToolEntry, sections.tools),
    groups: read(GroupEntry, sections.groups),
    sources: read(SourceEntry, sections.sources),
    files: read(FileEntry, sections.files),
    mcpServers: mcpServersIn(file),
    warnings,
  }
  // References are checked once all parts are valid.
  if (issues.length === 0) for (const issue of referenceIssues(parts)) if (issues.push(issue) > MAX_ISSUES) break
  if (issues.length > 0) {
    const reported = issues.slice(0, MAX_ISSUES + 1)
    throw invalid(...reported.map((issue) => ({ ...issue, field: inFile(issue.field, renamed) })))
  }
  if (warnings.length > MAX_WARNINGS)
    warnings.splice(MAX_WARNINGS, warnings.length, `and ${warnings.length - MAX_WARNINGS} more of this kind`)
  return parts
}

/** A place by the name the file has for it. */
function inFile(field: string, renamed: ReadonlyMap<string, string>): string {
  for (const [ours, theirs] of renamed) if (field.startsWith(ours)) return theirs + field.slice(ours.length)
  return field
}
