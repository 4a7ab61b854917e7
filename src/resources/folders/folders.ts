import { escapeLike } from '../../db/escape-like.ts'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { ApiError } from '../../lib/errors.ts'
import { DEFAULT_EMBEDDING, embeddingConfigOf } from '../models/handles.ts'
import { modifyContainer } from '../passages/change-model.ts'
import type { CreateFolder, UpdateFolder } from './body.ts'
import type { FolderFilters, ListFolders } from './query.ts'
import { folders } from './schema.ts'

/** Which folders: one filter for lists and counts. */
const matching =
  ({ name }: FolderFilters): Filter<'folders'> =>
  (query) =>
    query.$if(name !== undefined, (q) => q.where('folders.name', 'ilike', `%${escapeLike(name!)}%`))

/** Folders of the organization, oldest first, in either of their shapes. */
export const listFolders = <Wire>(scope: Scope, shape: Resource<Wire, 'folders'>, query: ListFolders) =>
  scope.list(shape, query, matching(query))

/** The number of folders that the filters of a list keep. */
export const countFolders = (scope: Scope, filters: FolderFilters) => scope.count(folders, matching(filters))

/** The id of the folder with exactly this name. 404 when there is none. */
export async function folderIdOf(scope: Scope, name: string): Promise<string> {
  const [folder] = await scope.select(folders, (query) => query.where('folders.name', '=', name))
  if (folder) return folder.id
  throw new ApiError('not_found', `No folder with name ${JSON.stringify(name)} in this organization.`, {
    headers: { 'x-should-retry': 'false' },
  })
}

/** Makes a folder, with the built-in embedding model unless the body names another model. 409 for a name that is taken. */
export async function createFolder<Wire>(
  scope: Scope,
  shape: Resource<Wire, 'folders'>,
  { embedding, embedding_config, embedding_chunk_size, ...body }: CreateFolder,
) {
  const config = (await embeddingConfigOf(scope, { embedding, embedding_config })) ?? DEFAULT_EMBEDDING
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

/** Detaches a folder from every agent that has it, in the scope's transaction. Passed in, since folders know no agents. */
export type Detach = (tx: Scope, id: string) => Promise<void>

/** Deletes a folder with its files, detached first from every agent that has it. 404, or 412 with the current ETag. */
export const deleteFolder = (scope: Scope, id: string, detachFromAgents: Detach): Promise<void> =>
  scope.transaction(async (tx) => {
    // Locked first: an agent that gets the folder meanwhile would keep its tools.
    await tx.lock(folders, id)
    await detachFromAgents(tx, id)
    await tx.remove(folders, id)
  })
