import type { Connection } from './connection.ts'

/** Opens Amazon Bedrock with a key of its own, or with that of an account. */
export async function openBedrock(connection: Connection & { apiKey: string }) {
  const { url, apiKey, accessKey, sessionToken, region = 'us-east-1', fetch } = connection
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  const credentials = accessKey
    ? // Empty, so that the package doesn't read it from the environment.
      { apiKey: '', accessKeyId: accessKey, secretAccessKey: apiKey, ...(sessionToken && { sessionToken }) }
    : { apiKey }
  return createAmazonBedrock({ region, baseURL: url, fetch, ...credentials })
}
