import type { Link } from '../../db/link.ts'
import { templateVersions } from './schema.ts'

const of = (name: string, targetColumn: string): Link => ({
  table: `template_versions_${name}`,
  owner: templateVersions,
  ownerColumn: 'template_version_id',
  targetColumn,
})

/** The attachments of a version, by field of its configuration. */
export const versionLinks = {
  tool_ids: of('tools', 'tool_id'),
  folder_ids: of('folders', 'source_id'),
  identity_ids: of('identities', 'identity_id'),
} as const
