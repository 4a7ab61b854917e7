import { deriveFrom, type FunctionJson } from './function-schema.ts'
import type { Tool } from './schema.ts'
import type { ToolSource } from './source/derive.ts'
import type { SourceReader } from './source/reader.ts'

/** The changed tool, or the source whose schema the change needs: no source is read inside a transaction. */
export type Attempt = { done: Tool } | { needs: ToolSource | undefined }

/** Repeats `attempt` until the schema that it gets was derived from the source that it finds. */
export async function withSchema(
  reader: SourceReader,
  first: ToolSource | undefined,
  attempt: (source: ToolSource | undefined, derived: FunctionJson | undefined) => Promise<Attempt>,
): Promise<Tool> {
  for (let source = first; ; ) {
    const outcome = await attempt(source, source && (await deriveFrom(reader, source)))
    if ('done' in outcome) return outcome.done
    source = outcome.needs
  }
}
