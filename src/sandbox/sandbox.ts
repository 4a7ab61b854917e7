/** The languages of code that a sandbox runs. */
export const LANGUAGES = ['python', 'typescript'] as const

export type Language = (typeof LANGUAGES)[number]

/** Bounds of one call. */
export interface SandboxLimits {
  /** From the arrival of the job to the result, in milliseconds. */
  timeMs: number
  /** Of all processes of the call together, in bytes. */
  memory: number
  /** Processes and threads at once. */
  processes: number
  /** Files in each of the temporary directories, in bytes. */
  disk: number
}

const MB = 1024 * 1024

/** The bounds of a call that names none. */
export const LIMITS: Readonly<SandboxLimits> = {
  timeMs: 180_000,
  memory: 512 * MB,
  processes: 64,
  disk: 128 * MB,
}

/** Captured bytes of each of stdout and stderr: what follows is dropped. */
export const MAX_OUTPUT = MB

/** Bytes of a result. */
export const MAX_RESULT = 8 * MB

/** The agent of a call, as its tool sees it. */
export interface AgentState {
  id: string
  name: string
  blocks: { label: string; value: string; [field: string]: unknown }[]
  [field: string]: unknown
}

/** A package by its name in its index; without a version, the newest. */
export interface Package {
  name: string
  version?: string | null | undefined
}

/** Code to run. */
export interface SandboxCall {
  organizationId: string
  language: Language
  code: string
  /** The function to call; absent: the code is a script, and the value of its last line is the result. */
  name?: string | undefined
  args: Readonly<Record<string, unknown>>
  env: Readonly<Record<string, string>>
  /** The names of the function's parameters, in their order: a function in TypeScript takes its arguments by place. */
  parameters?: readonly string[] | undefined
  /** The JSON schemas of the models that parameters of a function in Python name, and its source may lack. */
  definitions?: Readonly<Record<string, object>> | undefined
  /** The packages that the code imports: of PyPI for Python, of npm for TypeScript. They are installed at their first use. */
  packages?: readonly Package[] | undefined
  agentState?: AgentState | undefined
  limits?: Partial<SandboxLimits>
}

/** A program of the operator that runs on: it has its own environment, and sees the directories it names besides the system's. */
export interface Service {
  command: string
  args?: readonly string[] | undefined
  env?: Readonly<Record<string, string>> | undefined
  /** Whether it has the network of the server. */
  network?: boolean | undefined
  /** Directories to read, and to write to. */
  read?: readonly string[] | undefined
  write?: readonly string[] | undefined
}

/** The outcome of a call. */
export interface SandboxResult {
  status: 'success' | 'error'
  /** The return value as JSON; the text of a value that JSON can't express. */
  value: unknown
  /** The return value as the language writes it, such as `None`; of an error, one line that says what happened. */
  text: string
  stdout: string
  stderr: string
  /** The new values of the memory blocks that the code has changed, by label. */
  memory: Record<string, string>
}

/** Runs code of users. */
export interface Sandbox {
  /** Where code runs: on this machine, or at E2B. */
  place(): Promise<'local' | 'e2b'>
  /**
   * Runs a call. Errors of the code, and calls beyond their limits, are results; rejects with the reason of `signal`, and with a
   * SandboxError where the sandbox itself fails. Nothing of a call is left for the next one.
   */
  run(call: SandboxCall, signal?: AbortSignal): Promise<SandboxResult>
  /** Removes the packages that are installed for an organization on this machine: later calls install them anew. */
  forgetPackages(organizationId: string): Promise<void>
  /** Ends all calls. */
  close(): Promise<void>
}

/** The sandbox failed, or there is none: the message has the remedy. */
export class SandboxError extends Error {}
