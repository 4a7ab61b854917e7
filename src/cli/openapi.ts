import { Command } from 'commander'
import type { Act } from './action.ts'
import type { Cli } from './cli.ts'

/** `cairn openapi` */
export const openapiCommand = (act: Act) =>
  new Command('openapi')
    .description('write the OpenAPI document of the server')
    .addHelpText('after', '\nExample:\n  cairn openapi | jq .info.version')
    .action(act(async (cli: Cli) => cli.print(JSON.stringify(await cli.client().get('/openapi.json'), null, 2))))
