import { type Static, Type } from 'typebox'
import { Errors } from 'typebox/value'

const { Optional } = Type

const Paths = Type.Array(Type.String({ pattern: '^/' }))

const Program = Type.Object(
  {
    type: Optional(Type.Literal('stdio')),
    command: Type.String({ minLength: 1 }),
    args: Optional(Type.Array(Type.String())),
    env: Optional(Type.Record(Type.String(), Type.String())),
    /** Whether it has the network of the server; otherwise none. */
    network: Optional(Type.Boolean()),
    /** The directories that it sees besides those of the system, and those that it may write to. */
    read: Optional(Paths),
    write: Optional(Paths),
    /** The ids of the organizations that have it; absent: all. */
    organizations: Optional(Type.Array(Type.String({ pattern: '^org-' }))),
  },
  { additionalProperties: false },
)

const Name = Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,255}$' })
const File = Type.Object({ mcpServers: Type.Record(Name, Program, { additionalProperties: false }) })

/** A program on this machine that is an MCP server (transport stdio), as the operator describes it. */
export type McpProgram = Readonly<Static<typeof Program>>

/** MCP programs by their names. */
export type McpPrograms = Readonly<Record<string, McpProgram>>

/** Reads the usual description of MCP programs, `{"mcpServers": {name: {command, args, env}}}`. Throws an error that names the mistake. */
export function parsePrograms(text: string): McpPrograms {
  const value: unknown = JSON.parse(text)
  const [mistake] = Errors(File, value)
  if (!mistake) return (value as Static<typeof File>).mcpServers
  const { keyword, instancePath, message } = mistake
  throw new Error(`${instancePath || '/'} ${keyword === 'boolean' ? 'is not a field of an MCP server' : message}`)
}
