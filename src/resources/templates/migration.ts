import type { Configuration, Template, TemplateVersion } from './schema.ts'

/** The options of a migration: the parts of their own that agents keep, and the variables they get. */
export interface Migration {
  /** Blocks keep their values. */
  keepValues: boolean
  /** Agents keep folders that the version lacks. */
  keepFolders: boolean
  /** Agents keep secrets that the version doesn't name. */
  keepSecrets: boolean
  /** The migration deletes blocks of the template that the version lacks. */
  deleteBlocks: boolean
  /** Variables to add to those of each agent. */
  memoryVariables?: Record<string, string> | null | undefined
  defaultModel: string
}

/** An agent that was made from a template. */
export interface DeployedAgent {
  id: string
  template_id: string | null
  deployment_id: string
  tags: string[]
  memory_variables: Record<string, string> | null
}

/** A version and its configuration, read once for many agents. */
export interface Target extends Configuration {
  template: Template
  version: TemplateVersion
}
