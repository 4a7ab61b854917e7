import { findBuiltin } from './builtin.ts'
import { findSourceTool } from './source-tool.ts'
import type { FindTool } from './tool.ts'

/** Finds a built-in tool, or one with source code that a sandbox runs. */
export const findTool: FindTool = (tool) => findBuiltin(tool) ?? findSourceTool(tool)
