import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Rendering } from '../../db/render/rendering.ts'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { ApiError } from '../../lib/errors.ts'
import { agents } from '../agents/schema.ts'
import { embeddingConfigOf, LEXICAL } from '../models/handles.ts'
import { modifyContainer } from '../passages/change-model.ts'
import {
  type CreateFolder,
  type FolderFilters,
  folders,
  type ListAgentIds,
  type ListFolders,
  type UpdateFolder,
} from './schema.ts'

/** Which folders: one filter for lists and counts. */
const matching =
  ({ name }: FolderFilters): Filter<'folders'> =>
  (query) =>
    query.$if(name !== undefined, (q) => q.where('folders.name', 'ilike', `%${escapeLike(name!)}%`))

/** Folders of the organization, oldest first, in either of their shapes. */
export const listFolders = <Wire>(scope: Scope, shape: Resource<Wire, 'folders'>, query: ListFolders) =>
  scope.list(shape, query, matching(query))

/** How many folders the same filter keeps. */
export const countFolders = (scope: Scope, filters: FolderFilters) => scope.count(folders, matching(filters))

/** The id of the folder with exactly this name. 404 when there is none. */
export async function folderIdOf(scope: Scope, name: string): Promise<string> {
  const [folder] = await scope.select(folders, (query) => query.where('folders.name', '=', name))
  if (folder) return folder.id
  throw new ApiError('not_found', `No folder with name ${JSON.stringify(name)} in this organization.`, {
    headers: { 'x-should-retry': 'false' },
  })
}

/** Makes a folder. Without an embedding model its files will be searched by text. 409 for a name that is taken. */
export async function createFolder<Wire>(
  scope: Scope,
  shape: Resource<Wire, 'folders'>,
  { embedding, embedding_config, embedding_chunk_size, ...body }: CreateFolder,
) {
  const config = (await embeddingConfigOf(scope, { embedding, embedding_config })) ?? LEXICAL
  return scope.insert(shape, {
    ...body,
    embedding_config: embedding_chunk_size ? { ...config, embedding_chunk_size } : config,
  })
}

/** Changes a folder: see modifyContainer. `shape` is the folder or its deprecated form, the source. */
export const modifyFolder = <Wire>(
  scope: Scope,
  shape: Resource<Wire, 'folders'>,
  id: string,
  { embedding, embedding_config, ...patch }: UpdateFolder,
) =>
  modifyContainer(scope, shape, id, { embedding, embedding_config }, (tx, { embedding_config: config, ...columns }) =>
    tx.update(shape, id, { ...patch, ...columns, ...(config && { embedding_config: config }) }),
  )

/** The rendering of an agent's id alone. */
const ID: Rendering<string> = { cacheKey: 'id', build: () => ({ json: sql`to_json(agents.id)::text` }) }

/** The ids of the agents a folder is attached to, newest agent first. 404 for a folder the organization doesn't have. */
export async function listAgentIdsOfFolder(scope: Scope, id: string, page: ListAgentIds): Promise<Rendered<string[]>> {
  await scope.exists('folders', id)
  const attached = sql<boolean>`exists (select from agents_folders as link
    where link.organization_id = agents.organization_id and link.agent_id = agents.id and link.source_id = ${id})`
  return scope.list(agents, page, (query) => query.where(attached), ID)
}
