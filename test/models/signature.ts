import { createHmac } from 'node:crypto'

/** A provider's signature of its own text: base64, equal for equal texts. */
export const sign = (provider: string, text: string) => createHmac('sha256', provider).update(text).digest('base64')

/** Opaque base64 that `isSealed` recognizes: encrypted thinking of a provider. Its content is the number of the seal. */
export const seal = (provider: string, number: string) =>
  Buffer.from(`${number}:${sign(provider, number)}`).toString('base64')

/** Whether a text is a seal of this provider, unchanged. */
export function isSealed(provider: string, text: unknown): boolean {
  const [number = ''] = Buffer.from(String(text), 'base64').toString().split(':')
  return text === seal(provider, number)
}
