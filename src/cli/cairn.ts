import { Command } from 'commander'
import { doctorCommand } from './doctor.ts'
import { keysCommand } from './keys.ts'
import { serve, version } from './serve.ts'

const cairn = new Command('cairn').description('a self-hosted server for stateful LLM agents')
cairn
  .command('serve')
  .description('start the server')
  .action(async () => {
    process.exit(await serve())
  })
cairn.addCommand(keysCommand())
cairn.addCommand(doctorCommand(version))

try {
  await cairn.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
