import type { LinkRow, OwnedRow } from '../../db/tables.ts'
import type { Configuration } from './schema.ts'

export interface TemplateRow extends OwnedRow {
  project_id: string
  name: string
  description: string | null
  latest: number
}

export interface TemplateVersionRow
  extends OwnedRow,
    Pick<Configuration, 'agent' | 'blocks' | 'memory_defaults' | 'tool_variables'> {
  template_id: string
  number: number | null
  based_on: number | null
  message: string | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    templates: TemplateRow
    template_versions: TemplateVersionRow
    template_versions_tools: LinkRow<'template_version_id' | 'tool_id'>
    template_versions_folders: LinkRow<'template_version_id' | 'source_id'>
    template_versions_identities: LinkRow<'template_version_id' | 'identity_id'>
  }
}
