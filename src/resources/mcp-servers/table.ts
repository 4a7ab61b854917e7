import type { OwnedRow } from '../../db/tables.ts'
import type { SERVER_TYPES } from './schema.ts'

export interface McpServerRow extends OwnedRow {
  server_name: string
  mcp_server_type: (typeof SERVER_TYPES)[number]
  server_url: string | null
  auth_header: string | null
  command: string | null
  args: string[] | null
  secrets_enc: string | null
  last_synced: string | null
  sync_error: string | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    mcp_servers: McpServerRow
  }
}

declare module '../../db/jobs.ts' {
  interface JobData {
    /** Gives an organization the MCP servers that the settings of the server name. */
    sync_programs: object
  }
}
