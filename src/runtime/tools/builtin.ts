import { ARCHIVAL_TOOLS } from './archival.ts'
import { CORE_MEMORY_TOOLS } from './core-memory.ts'
import { fetchWebpage } from './fetch-webpage.ts'
import { FILE_TOOLS } from './files.ts'
import { GROUP_TOOLS } from './group.ts'
import { MULTI_AGENT_TOOLS } from './multi-agent.ts'
import { RECALL_TOOLS } from './recall.ts'
import { runCode } from './run-code.ts'
import type { BuiltinTool, FindTool, OutsideTool } from './tool.ts'
import { VOICE_TOOLS } from './voice.ts'
import { webSearch } from './web-search.ts'

/** The built-in tools that run in this process, by name. */
const BUILTIN_TOOLS: Readonly<Record<string, BuiltinTool | OutsideTool>> = {
  ...CORE_MEMORY_TOOLS,
  ...ARCHIVAL_TOOLS,
  ...RECALL_TOOLS,
  ...FILE_TOOLS,
  ...MULTI_AGENT_TOOLS,
  ...GROUP_TOOLS,
  ...VOICE_TOOLS,
  run_code: runCode,
  web_search: webSearch,
  fetch_webpage: fetchWebpage,
}

/** Finds a built-in tool. */
export const findBuiltin: FindTool = ({ tool_type, name }) =>
  tool_type?.startsWith('svc_') ? BUILTIN_TOOLS[name!] : undefined
