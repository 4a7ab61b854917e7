import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import { type Connection, ProviderError } from '../../llm/connection.ts'
import { checkCredentials } from '../../llm/listing.ts'

/** 422 unless the provider accepts the credentials; 502 when the provider can't be reached. */
export async function checkKey(connection: Connection): Promise<void> {
  try {
    if (await checkCredentials(connection)) return
  } catch (error) {
    if (error instanceof ProviderError && error.key)
      throw invalid(inBody('api_key', `is wrong: ${error.message.replace(/\.$/, '')}`))
    throw error
  }
  throw new ApiError('invalid', `Credentials of ${connection.type} cannot be checked without using one of its models.`)
}
