import { ARCHIVAL_TOOLS } from './archival.ts'
import { CORE_MEMORY_TOOLS } from './core-memory.ts'
import { RECALL_TOOLS } from './recall.ts'
import type { BuiltinTool } from './tool.ts'

/** The built-in tools that run in this process, by name. */
export const BUILTIN_TOOLS: Readonly<Record<string, BuiltinTool>> = {
  ...CORE_MEMORY_TOOLS,
  ...ARCHIVAL_TOOLS,
  ...RECALL_TOOLS,
}
