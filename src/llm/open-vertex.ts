import type { Connection } from './connection.ts'

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

/** Opens Google Vertex AI with a key of either kind. */
export async function openVertex({ url, apiKey, region, fetch }: Connection & { apiKey: string }) {
  const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge')
  const account = serviceAccount(apiKey)
  if (!account) return createGoogleVertex({ apiKey, baseURL: url, fetch })
  return createGoogleVertex({
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
}
