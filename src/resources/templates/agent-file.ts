import type { Scope } from '../../db/scope.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import { importAgents } from '../agent-export/import.ts'
import { type Format, readAgentFile } from '../agent-export/read.ts'
import { agentBlocks } from '../agents/links.ts'
import { deleteAgent } from '../agents/remove.ts'
import { blocks } from '../blocks/schema.ts'
import { configurationOfAgent } from './configuration.ts'
import type { Configuration } from './schema.ts'

/** The options for reading a file: the validation of its parts, and the model of an agent without one. */
export interface FileReader extends Format {
  defaultModel: string
}

/** The options for reading a file that belong to the server, not to a request. */
export type FileOptions = Omit<FileReader, 'check'>

/** Reads the file in a field of the body. 422 with the place of every issue, unless it holds a single agent. */
function read(field: string, file: object, format: Format) {
  try {
    const parts = readAgentFile(JSON.stringify(file), format)
    if (parts.agents.length === 1) return parts
  } catch (error) {
    if (!(error instanceof ApiError && error.issues)) throw error
    throw invalid(
      ...error.issues.map((issue) => ({ ...issue, field: `${field}.${issue.field.replace(/^file\.?/, '')}` })),
    )
  }
  throw invalid(inBody(`${field}.agents`, 'must hold one agent: templates of several are not there yet'))
}

/**
 * The configuration of the agent in a file. This function imports the agent and deletes it again, inside the scope's
 * transaction; its tools and folders stay, as the template refers to them. Tools of yours are changed into the file's
 * where `override` says so.
 */
export async function configurationOfFile(
  tx: Scope,
  field: 'agent_file' | 'agent_file_json',
  file: object,
  override: boolean,
  { defaultModel, ...format }: FileReader,
): Promise<Configuration> {
  const options = { secrets: {}, override_existing_tools: override, strip_messages: true }
  const { agent_ids } = await importAgents(tx, read(field, file, format), options, defaultModel)
  const [id] = agent_ids as [string]
  const configuration = await configurationOfAgent(tx, id)
  const own = await tx.linkedIds(agentBlocks, id)
  const quiet = tx.withoutIfMatch()
  await deleteAgent(quiet, id)
  for (const block of own) await quiet.remove(blocks, block)
  return configuration
}
