import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { notFound } from '../../../lib/errors.ts'
import { createArchive } from '../../archives/archives.ts'
import type { Embedders } from '../../models/embedding.ts'
import { DEFAULT_EMBEDDING, embeddingConfigOf } from '../../models/handles.ts'
import type { EmbeddingConfig } from '../../models/schema.ts'
import type { Container } from '../../passages/container.ts'
import { embedNewPassages } from '../../passages/embed.ts'
import { addPassages } from '../../passages/insert.ts'
import { listPassagesOf, removePassage } from '../../passages/passages.ts'
import type { PreparedPassages } from '../../passages/prepare.ts'
import type { ListMemories } from '../../passages/query.ts'
import type { Passage } from '../../passages/schema.ts'
import type { Vectors } from '../../passages/vectors.ts'
import { agentArchives } from '../links.ts'
import { agents } from '../schema.ts'

/** An agent as its archival memory sees it. */
interface Holder {
  name: string
  /** The model its own archive is made with. */
  own: EmbeddingConfig | null
  /** The handle of that model. */
  embedding: string | null
  /** The archive it has, if it has one. */
  archive_id: string | null
  embedding_config: Container['embedding_config']
  serving_config: Container['serving_config']
}

/** The agent and the archive it has. 404. */
async function holderOf(scope: Scope, agentId: string): Promise<Holder> {
  const [holder] = await scope.read(sql<Holder>`
    select agents.name, agents.embedding, agents.embedding_config as own, archive_id, archives.embedding_config, archives.serving_config
    from agents
      left join agents_archives as link on link.organization_id = ${scope.organizationId} and link.agent_id = agents.id
      left join archives on archives.organization_id = ${scope.organizationId} and archives.id = link.archive_id
    where agents.organization_id = ${scope.organizationId} and agents.id = ${agentId}`)
  if (!holder) throw notFound('agent', agentId)
  return holder
}

/** The archive of an agent, made where there is none. It stays until the transaction ends. 404. */
async function ownArchive(tx: Scope, agentId: string): Promise<string> {
  const attached = async () => {
    const [found] = await tx.query(sql<{ id: string }>`select archives.id
      from agents_archives as link join archives
        on archives.organization_id = ${tx.organizationId} and archives.id = link.archive_id
      where link.organization_id = ${tx.organizationId} and link.agent_id = ${agentId} for key share of archives`)
    return found?.id
  }
  const there = await attached()
  if (there) return there
  // The lock makes one of many callers create the archive.
  await tx.lock(agents, agentId)
  const by = await attached()
  if (by) return by
  const { name, embedding, own } = await holderOf(tx, agentId)
  const made = await createArchive(tx, {
    name: `${name}'s Archive`,
    description: 'Default archive created automatically',
    embedding,
    embedding_config: own,
  })
  await tx.attach(agentArchives, agentId, made.id)
  return made.id
}

/**
 * Vectors of new passages of an agent's archive: by the model that the archive has, or will have once it is made. 422 for a
 * model that can't be used here.
 */
export async function embedMemories(
  scope: Scope,
  embedders: Embedders,
  agentId: string,
  texts: readonly string[],
): Promise<Vectors | undefined> {
  const holder = await holderOf(scope, agentId)
  if (holder.archive_id) return embedNewPassages(scope, embedders, holder, texts)
  const { embedding, own: embedding_config } = holder
  const own = (await embeddingConfigOf(scope, { embedding, embedding_config })) ?? DEFAULT_EMBEDDING
  return embedNewPassages(scope, embedders, { embedding_config: own, serving_config: null }, texts)
}

/** Puts passages into the agent's archive, which is made for it where it has none. 404. */
export const addMemories = (scope: Scope, agentId: string, { list, vectors }: PreparedPassages): Promise<Passage[]> =>
  scope.transaction(async (tx) => addPassages(tx, { archive_id: await ownArchive(tx, agentId) }, list, vectors()))

/** The passages of the agent's archive, oldest first; none where it has none. 404. */
export async function listMemories(
  scope: Scope,
  agentId: string,
  { ascending, ...query }: ListMemories,
  signal: AbortSignal,
) {
  const { archive_id } = await holderOf(scope, agentId)
  const order = query.order ?? (ascending === false ? 'desc' : 'asc')
  return archive_id ? listPassagesOf(scope, archive_id, { ...query, order }, signal) : []
}

/** Deletes a passage of the agent's archive. 404, also for any other passage. */
export async function deleteMemory(scope: Scope, agentId: string, id: string): Promise<void> {
  const [found] = await scope.read(sql<{ archive_id: string }>`
    select passages.archive_id from passages join agents_archives as link
      on link.organization_id = ${scope.organizationId} and link.archive_id = passages.archive_id
    where passages.organization_id = ${scope.organizationId} and passages.id = ${id} and link.agent_id = ${agentId}`)
  if (!found) {
    await scope.exists('agents', agentId)
    throw notFound('passage', id)
  }
  await removePassage(scope, found.archive_id, id)
}
