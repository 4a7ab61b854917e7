import { keyed, requestedDimension } from './client.ts'
import type { Purpose } from './embedder.ts'

const google = (dimension: number | undefined, purpose: Purpose) => ({
  taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
  ...(dimension && { outputDimensionality: dimension }),
})

/** A service account's key, one of two kinds of keys of Google Vertex AI. The other kind is a key of express mode. */
interface ServiceAccount {
  client_email: string
  private_key: string
  private_key_id?: string
  project_id: string
}

function serviceAccount(key: string): ServiceAccount | undefined {
  try {
    const { client_email, private_key, project_id, ...rest } = JSON.parse(key)
    return client_email && private_key && project_id ? { client_email, private_key, project_id, ...rest } : undefined
  } catch {
    return undefined
  }
}

/** The embedding models of Google AI Studio. */
export const googleAi = keyed(async ({ url, apiKey, fetch }, model, dimension) => {
  const { createGoogle } = await import('@ai-sdk/google')
  return {
    model: createGoogle({ baseURL: url, apiKey, fetch }).embeddingModel(model),
    options: (purpose) => ({ google: google(requestedDimension(model, dimension), purpose) }),
  }
})

/** The embedding models of Google Vertex AI. */
export const googleVertex = keyed(async ({ url, apiKey, region, fetch }, model, dimension) => {
  const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge')
  const account = serviceAccount(apiKey)
  const vertex = account
    ? createGoogleVertex({
        // Empty, so that the package doesn't read it from the environment.
        apiKey: '',
        project: account.project_id,
        location: region ?? 'us-central1',
        fetch,
        googleCredentials: {
          clientEmail: account.client_email,
          privateKey: account.private_key,
          privateKeyId: account.private_key_id ?? '',
        },
      })
    : createGoogleVertex({ apiKey, baseURL: url, fetch })
  return {
    model: vertex.embeddingModel(model),
    options: (purpose) => ({ googleVertex: google(requestedDimension(model, dimension), purpose) }),
  }
})
