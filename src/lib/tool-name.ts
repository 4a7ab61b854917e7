/** The longest name of a tool that every provider of models takes. */
export const MAX_TOOL_NAME = 64

/** The names of tools that models can call, as the pattern of a schema. */
export const TOOL_NAME = `^[A-Za-z0-9_-]{1,${MAX_TOOL_NAME}}$`

/** A name as a name that models can call: other characters become `_`. Empty for an empty one. */
export const cleanToolName = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_TOOL_NAME)
