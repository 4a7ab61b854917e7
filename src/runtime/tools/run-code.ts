import { environmentOf } from '../../resources/sandbox-variables/environment.ts'
import { type Language, SandboxError } from '../../sandbox/sandbox.ts'
import { ToolError } from '../memory.ts'
import { text } from './arguments.ts'
import { limitsOf, packagesFor } from './sandbox-settings.ts'
import type { OutsideTool } from './tool.ts'

/** Deno runs JavaScript as TypeScript. */
const LANGUAGES: Readonly<Record<string, Language>> = { python: 'python', js: 'typescript', ts: 'typescript' }

/** Runs a program of the model in the sandbox: with no secret of the agent, and the packages of the organization's settings. */
export const runCode: OutsideTool = {
  outside: 'once',
  async run(args, { scope, services: { sandbox }, signal }) {
    const name = text(args, 'language')
    const language = LANGUAGES[name]
    if (!language)
      throw new ToolError(`This server runs programs in ${Object.keys(LANGUAGES).join(', ')}, not in ${name}.`)
    const { settings } = await environmentOf(scope, await sandbox.place())
    try {
      const result = await sandbox.run(
        {
          ...{ organizationId: scope.organizationId, language, code: text(args, 'code'), args: {}, env: {} },
          packages: packagesFor({}, language, settings),
          limits: limitsOf(settings),
        },
        signal,
      )
      const { status, value, stdout, stderr } = result
      const logs = { stdout: stdout ? [stdout] : [], stderr: stderr ? [stderr] : [] }
      const results = status === 'error' || value === null ? [] : [result.text]
      return { status, output: JSON.stringify({ results, logs, ...(status === 'error' && { error: result.text }) }) }
    } catch (error) {
      throw error instanceof SandboxError ? new ToolError(error.message) : error
    }
  },
}
