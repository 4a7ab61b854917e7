import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { basename, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Command, Option } from 'commander'
import type { FolderFile } from '../../resources/folders/file-schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { type Client, path } from '../client.ts'
import { EXIT, wrongUse } from '../exit.ts'
import { findId } from '../find.ts'

interface Options {
  create?: boolean
  onDuplicate: string
  wait: boolean
}

const POLL_MS = 500
const isUnderWay = ({ processing_status: status }: FolderFile) => status !== 'completed' && status !== 'error'

async function uploadOne({ settings }: Cli, client: Client, route: string, file: string, duplicates: string) {
  const form = new FormData()
  form.append('file', await openAsBlob(resolve(settings.directory, file)), basename(file))
  const headers = { 'idempotency-key': randomUUID() }
  const query = { duplicate_handling: duplicates }
  const response = await client.send('POST', `${route}/upload`, { body: form, query, headers })
  return (await response.json()) as FolderFile
}

/** The file as it is once the server has read it. */
async function whenRead(client: Client, route: string, file: FolderFile): Promise<FolderFile> {
  let now = file
  while (isUnderWay(now)) {
    await setTimeout(POLL_MS)
    now = await client.get<FolderFile>(`${route}${path`/files/${file.id}`}`)
  }
  return now
}

async function upload(cli: Cli, folder: string, files: string[], { create, onDuplicate, wait }: Options) {
  if (files.some((file) => file === '')) throw wrongUse('The name of a file is empty.')
  const client = cli.client()
  const route = path`/v1/folders/${await findId(client, 'folder', folder, create)}`
  let failures = 0
  for (const name of files) {
    const uploaded = await uploadOne(cli, client, route, name, onDuplicate)
    const file = wait ? await whenRead(client, route, uploaded) : uploaded
    if (file.processing_status === 'error') failures++
    cli.show(file, () => `${file.processing_status.padEnd(9)}  ${file.file_name}  ${file.error_message ?? file.id}`)
  }
  return failures > 0 ? EXIT.failed : 0
}

/** `cairn files upload` */
export const uploadFiles = (act: Act) =>
  new Command('upload')
    .description('upload files to a folder, and wait until agents can search them')
    .argument('<folder>', 'its name or id')
    .argument('<files...>')
    .option('--create', 'create the folder where there is none of this name')
    .addOption(
      new Option('--on-duplicate <what>', 'where the folder has a file of this name')
        .choices(['suffix', 'replace', 'skip', 'error'])
        .default('suffix'),
    )
    .option('--no-wait', "don't wait until the files are read")
    .addHelpText('after', '\nExample:\n  cairn files upload Docs docs/*.md --create --on-duplicate replace')
    .action(act(upload))
