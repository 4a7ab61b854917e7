import { languageOf, returnOf, runSource } from './run-source.ts'
import type { FindTool } from './tool.ts'

/** Finds what runs a tool with source code; undefined for a tool without, and for one in another language. */
export const findSourceTool: FindTool = (tool) => {
  if (tool.tool_type !== 'custom' || !languageOf(tool)) return undefined
  return {
    outside: 'once',
    run: async (args, context) => {
      const services = { sandbox: context.services.sandbox, scope: context.scope }
      return returnOf(await runSource(services, tool, { args, caller: context }, context.signal))
    },
  }
}
