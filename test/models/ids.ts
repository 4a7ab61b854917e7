/** Makes ids of a provider's form, each of them once: `createIds('call_', 24)`. */
export function createIds(prefix: string, length = 24): () => string {
  let made = 0
  return () => prefix + String(++made).padStart(length, '0')
}
