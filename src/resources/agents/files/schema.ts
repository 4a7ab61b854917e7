import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../../db/resource.ts'
import { Closed, Id, Instant, Int, Page, Params, Query, Ref, Shape } from '../../../lib/wire.ts'

const { Optional } = Type

/** A file that an agent sees: of a folder attached to it. */
export const AgentFileAttachment = Shape('AgentFileAttachment', {
  id: Id('file_agent'),
  file_id: Id('file'),
  file_name: Type.String(),
  folder_id: Id('source'),
  folder_name: Type.String(),
  is_open: Type.Boolean({ description: 'Whether its text stands in the context of the agent.' }),
  last_accessed_at: Optional(Instant()),
  visible_content: Optional(Type.String({ description: 'What the agent sees of it while it is open.' })),
  start_line: Optional(Type.Integer({ description: 'The first line shown, if it was opened from there.' })),
  end_line: Optional(Type.Integer({ description: 'The last line shown, if it was opened up to there.' })),
})

const ofRow = (column: string, table: string, id: string) =>
  `(select ${column} from ${table} as named where named.organization_id = ${ORGANIZATION} and named.id = ${id})`

export const agentFiles = defineResource<Static<typeof AgentFileAttachment>>()(AgentFileAttachment, {
  table: 'files_agents',
  prefix: 'file_agent',
  order: 'desc',
  computed: {
    file_name: ofRow('file_name', 'files', 'files_agents.file_id'),
    folder_id: 'files_agents.source_id',
    folder_name: ofRow('name', 'folders', 'files_agents.source_id'),
  },
})

export const AgentFiles = Closed({
  files: Type.Array(Ref(AgentFileAttachment)),
  next_cursor: Optional({ ...Id('file_agent'), description: 'The cursor of the next page, if there is one.' }),
  has_more: Type.Boolean(),
})
export type AgentFiles = Static<typeof AgentFiles>

export const ListAgentFiles = Query({
  ...Page('file_agent'),
  cursor: Optional({ ...Id('file_agent'), description: 'Deprecated: use after.' }),
  is_open: Optional(Type.Boolean({ description: 'Only the open files, or only the others.' })),
})
export type ListAgentFiles = Static<typeof ListAgentFiles>

export const OpenFile = Query({
  start_line: Optional(Int({ minimum: 1, description: 'The first line to show. Default: the first of the file.' })),
  end_line: Optional(Int({ minimum: 1, description: 'The last line to show. Default: as many as there is room for.' })),
})
export type OpenFile = Static<typeof OpenFile>

export const AgentFileParams = Params({ agent_id: Id('agent'), file_id: Id('file') })
