/** The scopes of API keys, and the operations that each one permits. */

/** The scopes that reach every area: reading, changing, seeing secret values, administering the organization. */
export const RIGHTS = ['read', 'write', 'secrets', 'admin'] as const

/** The kinds of operations within an area. */
export const VERBS = ['read', 'write', 'run'] as const
export type Verb = (typeof VERBS)[number]

/** The areas of the API: the first segments of its paths, without those that are another name for one of these. */
export const AREAS = [
  'agents',
  'approvals',
  'archives',
  'blocks',
  'budgets',
  'changes',
  'client-side-access-tokens',
  'conversations',
  'folders',
  'groups',
  'identities',
  'mcp-servers',
  'messages',
  'models',
  'passages',
  'projects',
  'providers',
  'runs',
  'sandbox-config',
  'steps',
  'tags',
  'templates',
  'tools',
] as const

const SAME_AS: Readonly<Record<string, string>> = {
  chat: 'agents',
  embeddings: 'models',
  openai: 'agents',
  sources: 'folders',
  telemetry: 'steps',
}

/** The right to make or change the source of tools, which is code that runs: `write` alone does not include it. */
export const WRITE_TOOLS = 'tools:write'

/** The scopes of a key that may do everything. */
export const FULL: readonly string[] = [...RIGHTS, WRITE_TOOLS]

/** The pattern of a key's scope: a right, `<area>:<verb>`, or `agents:<id>:<verb>` for operations of one agent. */
export const SCOPE_PATTERN = `^(${RIGHTS.join('|')}|(${AREAS.join('|')}|agents:agent-[0-9a-f-]{36}):(${VERBS.join('|')}))$`

/** The scope of an operation in an area; the path is that of its route. */
export function scopeOf(path: string, verb: Verb): string {
  const segment = path.replace(/^\/v1(?=\/)/, '').split('/')[1]!
  return `${SAME_AS[segment] ?? segment}:${verb}`
}

/**
 * Whether a key with these scopes has one: itself, or `read` or `write` for those of any area; `write` includes `run`. With
 * `agentId`, also by a scope for this agent alone.
 */
export function permits(scopes: readonly string[], scope: string, agentId?: string): boolean {
  if (scopes.includes(scope)) return true
  const [area, verb] = scope.split(':')
  if (verb === undefined) return false
  if (scope !== WRITE_TOOLS && scopes.includes(verb === 'read' ? 'read' : 'write')) return true
  return agentId !== undefined && area === 'agents' && scopes.includes(`agents:${agentId}:${verb}`)
}
