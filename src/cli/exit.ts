/** Exit codes of commands; 0 means that everything went well. They are documented in docs/cli.md. */
export const EXIT = { failed: 1, usage: 2, differs: 3, interrupted: 130 } as const

/** Ends a command with a message for the user and an exit code. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The error of a command that was used wrongly: exit code 2. */
export const wrongUse = (message: string) => new CommandError(message, EXIT.usage)
