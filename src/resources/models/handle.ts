import { type ProviderType, providerTypes } from '../../lib/provider-types.ts'
import type { KnownModel } from './known.ts'

export type Kind = KnownModel['model_type']

/** The parts of a handle: the provider before the first slash, and its name of the model. */
export function split(handle: string): { provider: string; name: string } {
  const slash = handle.indexOf('/')
  return { provider: handle.slice(0, slash), name: handle.slice(slash + 1) }
}

/** The type of provider that a name stands for if no provider has that name. */
export const typeNamed = (name: string): ProviderType | undefined => providerTypes.find((type) => type === name)
