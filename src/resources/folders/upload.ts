import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { type NewFile, nameParts } from './file-names.ts'
import type { UploadQuery } from './file-query.ts'
import { type FolderFile, folderFiles } from './file-schema.ts'
import { folders } from './schema.ts'

/** A received upload. */
export interface Received {
  accepted: NewFile
  size: number
  read(position: number, length: number): Promise<Buffer>
}

/** The bytes of one row. */
const PART = 1024 * 1024

/** Files of the folder that were uploaded under this name, oldest first. `natural`: they also have this name. */
const holdersOf = (tx: Scope, folderId: string, name: string) =>
  tx.query<{ id: string; natural: boolean }>(sql`
    select id, regexp_replace(file_name, '^.*/', '') = ${name} as natural from files
    where organization_id = ${tx.organizationId} and source_id = ${folderId}
      and hashtextextended(original_file_name, 0) = hashtextextended(${name}, 0) and original_file_name = ${name}
    order by created_at, id`)

/** The first of `a.md`, `a_(1).md`, `a_(2).md` … that no file of the folder has, from the number `from` on. */
async function freeName(tx: Scope, folderId: string, path: string, from: number): Promise<string> {
  const [stem, extension] = nameParts(path)
  const numbered = (n: ReturnType<typeof sql.raw>) =>
    sql`${stem}::text || case ${n} when 0 then '' else '_(' || ${n} || ')' end || ${extension}::text`
  const [found] = await tx.query<{ name: string }>(sql`
    with recursive tried (n, name) as (
      select ${from}::bigint, ${numbered(sql`${from}::bigint`)}
      union all
      select n + 1, ${numbered(sql`(n + 1)`)} from tried where exists (
        select from files where organization_id = ${tx.organizationId} and source_id = ${folderId}
          and hashtextextended(file_name, 0) = hashtextextended(tried.name, 0) and file_name = tried.name)
    ) select name from tried order by n desc limit 1`)
  return found!.name
}

async function storeBytes(tx: Scope, fileId: string, { size, read }: Received): Promise<void> {
  for (let at = 0; at < size; at += PART) {
    const bytes = await read(at, Math.min(PART, size - at))
    await tx.query(sql`insert into file_parts (organization_id, file_id, position, bytes)
      values (${tx.organizationId}, ${fileId}, ${at / PART}, ${bytes})`)
  }
}

/**
 * Adds an uploaded file to a folder, and enqueues the job that reads it, in one transaction: after the response the file is
 * read, even if the server dies. Uploads to one folder take turns. 404 without the folder, 409 for a duplicate when
 * `duplicate_handling` is error.
 */
export const storeUpload = (
  scope: Scope,
  folderId: string,
  upload: Received,
  { duplicate_handling = 'suffix' }: UploadQuery,
): Promise<{ file: FolderFile; skipped: boolean }> =>
  scope.transaction(async (tx) => {
    const { name, type } = upload.accepted
    await tx.lock(folders, folderId)
    const folder = await tx.get(folders, folderId)
    const holders = await holdersOf(tx, folderId, name)
    if (holders.length > 0 && duplicate_handling === 'error') {
      throw conflict(`A file that was uploaded as ${JSON.stringify(name)} already exists in this folder.`)
    }
    if (holders.length > 0 && duplicate_handling === 'skip') {
      return { file: await tx.get(folderFiles, holders[0]!.id), skipped: true }
    }
    const replaced = duplicate_handling === 'replace' ? holders.filter(({ natural }) => natural) : []
    for (const { id } of replaced) await tx.remove(folderFiles, id)
    const from = duplicate_handling === 'replace' ? 0 : holders.length
    const file = await tx.insert(folderFiles, {
      source_id: folderId,
      file_name: await freeName(tx, folderId, `${folder.name}/${name}`, from),
      original_file_name: name,
      file_type: type,
      file_size: upload.size,
      processing_status: 'parsing',
    })
    await storeBytes(tx, file.id, upload)
    await tx.enqueue('process_file', { file_id: file.id }, file.id)
    return { file, skipped: false }
  })
