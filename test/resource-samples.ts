import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The query and the body of a request. */
export interface Sample {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

/** The samples of one resource: `samples` in the `samples.ts` of its folder has this form. */
export interface ResourceSamples {
  /** Makes one resource of an organization, another at each call, for requests that name it by its id. */
  create(one: Readonly<Record<string, string>>): { url: string; body: object }
  /** For each operation with a body, requests that succeed in a populated organization. */
  operations: Record<string, (organization: { one: Readonly<Record<string, string>>; spareAgent: string }) => Sample[]>
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The samples that resources declare in their own folders. */
export const RESOURCE_SAMPLES: readonly ResourceSamples[] = await Promise.all(
  globSync('src/resources/**/samples.ts', { cwd: ROOT })
    .sort()
    .map(async (path) => ((await import(`${ROOT}/${path}`)) as { samples: ResourceSamples }).samples),
)
