import { inBody, invalid } from '../../lib/errors.ts'
import type { Configuration } from './schema.ts'

/** What a template of the agent in an agent file holds. Agent files can't be read here yet: 422 that says what can be done. */
export async function configurationOfFile(field: 'agent_file' | 'agent_file_json'): Promise<Configuration> {
  throw invalid(
    inBody(
      field,
      'cannot be read yet: create the agent, and the template from it, or set the snapshot of the template',
    ),
  )
}
