import { CORE_TOOLS } from './core.ts'
import { FILE_TOOLS } from './files.ts'
import { MEMORY_TOOLS, SLEEPTIME_TOOLS } from './memory.ts'
import { MULTI_AGENT_TOOLS } from './multi-agent.ts'
import { VOICE_TOOLS } from './voice.ts'
import { WEB_AND_CODE_TOOLS } from './web-and-code.ts'

/** Every built-in tool: the records that agents attach and models read. */
export const BUILTIN_TOOLS = [
  ...CORE_TOOLS,
  ...MEMORY_TOOLS,
  ...SLEEPTIME_TOOLS,
  ...MULTI_AGENT_TOOLS,
  ...VOICE_TOOLS,
  ...FILE_TOOLS,
  ...WEB_AND_CODE_TOOLS,
]
