import { findBuiltin } from './builtin.ts'
import { findMcpTool } from './mcp.ts'
import { findSourceTool } from './source-tool.ts'
import type { FindTool } from './tool.ts'

/** Finds a built-in tool, one of an MCP server, or one with source code that a sandbox runs. */
export const findTool: FindTool = (tool) => findBuiltin(tool) ?? findMcpTool(tool) ?? findSourceTool(tool)
