import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { passages, passagesWithVectors } from '../passages/schema.ts'
import type { ListFilePassages, ListFiles, RetrieveFile } from './file-query.ts'
import { folderFiles, folderFilesWithContent } from './file-schema.ts'

const shapeFor = ({ include_content }: RetrieveFile) => (include_content ? folderFilesWithContent : folderFiles)

/** The files of a folder, newest first. 404 for an unknown folder. */
export async function listFiles(scope: Scope, folderId: string, { include_content, ...page }: ListFiles) {
  await scope.exists('folders', folderId)
  return scope.list(shapeFor({ include_content }), page, (query) => query.where('files.source_id', '=', folderId))
}

/** 404 unless the folder exists and has the file. */
async function checkInFolder(scope: Scope, folderId: string, id: string): Promise<void> {
  await scope.exists('folders', folderId)
  const file = await scope.find(folderFiles, id)
  if (file?.source_id !== folderId) throw notFound('file', id)
}

/** A file of a folder. 404, also for a file of another folder. */
export async function retrieveFile(scope: Scope, folderId: string, id: string, query: RetrieveFile) {
  await checkInFolder(scope, folderId, id)
  return scope.retrieve(shapeFor(query), id)
}

/** Deletes a file of a folder with its passages, and from the memory of every agent. 404, or 412. */
export const deleteFile = (scope: Scope, folderId: string, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await checkInFolder(tx, folderId, id)
    await tx.remove(folderFiles, id)
  })

/** The passages of a folder's files, oldest first. 404 for an unknown folder. */
export async function listPassagesOfFolder(scope: Scope, folderId: string, { include, ...page }: ListFilePassages) {
  await scope.exists('folders', folderId)
  const shape = include?.includes('passage.embedding') ? passagesWithVectors : passages
  return scope.list(shape, page, (query) => query.where('passages.container_id', '=', folderId))
}
