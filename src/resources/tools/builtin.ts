import type { Scope } from '../../db/scope.ts'
import { tools } from './schema.ts'

/** Adds the built-in tools the organization lacks. */
export async function addBuiltinTools(_scope: Scope): Promise<void> {
  void tools
}
