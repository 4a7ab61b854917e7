import type { Config } from '../../config.ts'
import { checkOf } from '../../http/check.ts'
import { addForms } from '../../http/form.ts'
import { olderSdk } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { AgentParams } from '../agents/schema.ts'
import { exportAgent } from './export.ts'
import { importAgents } from './import.ts'
import { type Format, readAgentFile } from './read.ts'
import { AgentFile, ExportQuery, ImportedAgents, ImportForm, ImportHeaders } from './schema.ts'

/** The secrets in a form field, from JSON. 422 for any text but an object of strings. */
function secretsIn(field: 'secrets' | 'env_vars_json', text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  const refused = invalid(inBody(field, 'must be a JSON object whose values are strings'))
  let secrets: unknown
  try {
    secrets = JSON.parse(text)
  } catch {
    throw refused
  }
  const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) throw refused
  if (!Object.entries(secrets).every(([key, value]) => key && key.length <= 500 && isText(key) && isText(value))) {
    throw refused
  }
  return secrets as Record<string, string>
}

/** An import takes many times the memory its file does, and more of them at once are done no sooner. */
const IMPORTS_AT_ONCE = 4

/** Encodes a text for a header parameter (RFC 8187), which allows fewer characters than a URL. */
const encodeParameter = (text: string) =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The header that names a downloaded file (RFC 6266), with a plain name for clients that read no other. */
const attachment = (name: string) => `attachment; filename="agent.af"; filename*=UTF-8''${encodeParameter(name)}.af`

const operations = operationsOf('agents', {
  export_agent: [
    'Export an agent as an agent file (.af)',
    {
      description:
        'With its messages, blocks, tools and folders, the groups it manages and their members. Of secrets the file ' +
        'has the names alone. Conversations stay here: the messages are those of the agent itself. It bears the names ' +
        'other programs know: `letta_v1_agent` is what this API calls `svc_v1_agent`.',
      params: AgentParams,
      querystring: ExportQuery,
      response: { 200: AgentFile },
    },
  ],
  import_agents: [
    'Import the agents of an agent file (.af)',
    {
      description:
        'All of it or nothing. Files of older revisions are taken too, and files that hold their JSON in a string. ' +
        'Errors name their place in the file, such as `agents[0].tool_rules[2].type`.',
      consumes: ['multipart/form-data'],
      headers: ImportHeaders,
      body: ImportForm,
      response: { 200: ImportedAgents },
    },
    { namesModels: 'refused' },
  ],
})

/**
 * `/v1/agents/import` and `/v1/agents/{agent_id}/export`. Agents of files without a model get `defaultModel`; `shapes` are the
 * named shapes of the API.
 */
export const agentExportRoutes =
  ({ defaultModel, shapes }: Pick<Config, 'defaultModel'> & Pick<Format, 'shapes'>) =>
  async (app: App) => {
    await addForms(app)
    const semaphore = createSemaphore(IMPORTS_AT_ONCE)

    app.get('/:agent_id/export', operations.export_agent, async (request, reply) => {
      const { scope, params, query } = request
      const file = await exportAgent(scope, params.agent_id, query)
      reply.header('content-disposition', attachment(String(file.agents[0]!.name)))
      // Indented, since people read and compare the files.
      const text = JSON.stringify(file, null, 2)
      // The older JavaScript SDK takes the file for a string, and refuses any other response.
      const payload = olderSdk(request) === 'JavaScript' ? JSON.stringify(text) : text
      return reply.type('application/json').send(payload as never)
    })

    app.post('/import', operations.import_agents, (request) =>
      semaphore(async () => {
        const { scope, body, headers } = request
        const file = readAgentFile(body.file, { check: checkOf(request), shapes })
        return importAgents(
          scope,
          file,
          {
            name: body.name ?? body.override_name,
            append_copy_suffix: body.append_copy_suffix,
            model: body.model ?? body.override_model_handle,
            embedding: headers['x-override-embedding-model'] || (body.embedding ?? body.override_embedding_handle),
            project_id: headers['x-project-id'] || body.project_id,
            secrets: {
              ...secretsIn('env_vars_json', body.env_vars_json),
              ...secretsIn('secrets', body.secrets),
            },
            override_existing_tools: body.override_existing_tools ?? true,
            strip_messages: body.strip_messages ?? false,
          },
          defaultModel,
        )
      }),
    )
  }
