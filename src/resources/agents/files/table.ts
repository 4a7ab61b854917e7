/** A file an agent sees, open or not. */
export interface FileAgentRow {
  organization_id: string
  id: string
  agent_id: string
  source_id: string
  file_id: string
  block_id: string
  is_open: boolean
  visible_content: string | null
  start_line: number | null
  end_line: number | null
  last_accessed_at: string | null
  created_at: string
}

declare module '../../../db/tables.ts' {
  interface Tables {
    files_agents: FileAgentRow
  }
}
