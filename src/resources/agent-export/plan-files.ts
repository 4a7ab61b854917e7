import { countLines } from '../../files/lines.ts'
import { newId } from '../../lib/ids.ts'
import { DEFAULT_EMBEDDING, embeddingConfigIn } from '../models/handles.ts'
import type { EmbeddingFields } from './agent-body.ts'
import type { FileEntry, Placed, PlacedAgent, SourceEntry } from './entry-schema.ts'
import { parseInstant } from './instant.ts'
import type { ImportPlan, NewIds, PlanContext, PlannedRow } from './plan-context.ts'

/** The folder of an entry, with the embedding model of `body`, or else the built-in one. */
export function planFolder(entry: Placed<SourceEntry>, body: EmbeddingFields, { catalog, ids, issues }: PlanContext) {
  const { at, id, embedding: _embedding, embedding_config: _config, embedding_chunk_size, ...columns } = entry
  return issues.at(at, (): ImportPlan['folders'][number] => {
    const config = embeddingConfigIn(catalog, body) ?? DEFAULT_EMBEDDING
    return {
      ...columns,
      id: ids.sources.get(id)!,
      embedding_config: embedding_chunk_size ? { ...config, embedding_chunk_size } : config,
    }
  })
}

/** The file of an entry. Embeddings are not part of the format: the text of the file is to be embedded again. */
export function planFile({ at: _, id, source_id, ...entry }: Placed<FileEntry>, ids: NewIds): PlannedRow<'files'> {
  const file_name = entry.file_name ?? entry.original_file_name ?? id
  const hasText = entry.content != null
  return {
    ...entry,
    id: ids.files.get(id)!,
    source_id: ids.sources.get(source_id)!,
    file_name,
    processing_status: hasText ? 'embedding' : 'pending',
    error_message: undefined,
    total_chunks: hasText ? 0 : undefined,
    chunks_embedded: hasText ? 0 : undefined,
    line_count: hasText ? countLines(entry.content!, { ...entry, file_name }) : undefined,
  }
}

/** The files that an agent sees, each once. */
export function planOpenFiles(agent: PlacedAgent, { ids, folderOfFile }: PlanContext) {
  const rows = (agent.files_agents ?? []).map((entry) => ({
    id: newId('file_agent'),
    agent_id: ids.agents.get(agent.id)!,
    file_id: ids.files.get(entry.file_id)!,
    source_id: folderOfFile.get(entry.file_id)!,
    block_id: newId('block'),
    is_open: entry.is_open ?? false,
    visible_content: entry.visible_content,
    start_line: entry.start_line,
    end_line: entry.end_line,
    last_accessed_at: entry.last_accessed_at == null ? undefined : parseInstant(entry.last_accessed_at)?.toISOString(),
    created_at: new Date().toISOString(),
  }))
  return [...new Map(rows.map((row) => [row.file_id, row])).values()]
}
