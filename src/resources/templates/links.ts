import type { Link } from '../../db/link.ts'
import { templateVersions } from './schema.ts'

const of = (what: string, targetColumn: string): Link => ({
  table: `template_versions_${what}`,
  owner: templateVersions,
  ownerColumn: 'template_version_id',
  targetColumn,
})

/** What the agents of a version get attached, by the field of its configuration. */
export const versionLinks = {
  tool_ids: of('tools', 'tool_id'),
  folder_ids: of('folders', 'source_id'),
  identity_ids: of('identities', 'identity_id'),
} as const
