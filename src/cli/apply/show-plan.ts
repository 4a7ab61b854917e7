import { stringify } from 'yaml'
import type { Cli } from '../cli.ts'
import { lineDiff, wordDiff } from '../diff-text.ts'
import type { FieldChange } from './compare.ts'
import { type AgentPlan, isEmpty } from './plan.ts'

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : stringify(value).trimEnd()

const indented = (text: string, spaces: number) => text.replace(/^/gm, ' '.repeat(spaces))

function describeChange(cli: Cli, { field, before, after }: FieldChange, spaces: number): string {
  const texts = [textOf(before), textOf(after)] as const
  if (texts.some((text) => text.includes('\n')))
    return indented(`${field}:\n${indented(lineDiff(cli, ...texts), 2)}`, spaces)
  return indented(`${field}: ${wordDiff(cli, ...texts)}`, spaces)
}

function describeAgent(cli: Cli, plan: AgentPlan): string[] {
  const add = (text: string) => cli.style('green', `+ ${text}`)
  const change = (text: string) => cli.style('yellow', `~ ${text}`)
  const remove = (text: string) => cli.style('red', `- ${text}`)
  const { wanted, id, changes, blocks, sets } = plan
  return [
    id === undefined ? add(`agent ${wanted.name}`) : change(`agent ${wanted.name} (${id})`),
    ...changes.map((one) => describeChange(cli, one, 4)),
    ...blocks.flatMap(({ wanted: block, id: blockId, changes: fields }) =>
      blockId === undefined
        ? [`  ${add(`block ${block.label}`)}`, indented(textOf(block.value), 6)]
        : [`  ${change(`block ${block.label}`)}`, ...fields.map((one) => describeChange(cli, one, 6))],
    ),
    ...sets.flatMap((set) => [
      ...set.add.map(({ name }) => `  ${add(`${set.kind.slice(0, -1)} ${name}`)}`),
      ...set.remove.map(({ name }) => `  ${remove(`${set.kind.slice(0, -1)} ${name}`)}`),
    ]),
  ]
}

/** What applying plans would change, for people. Empty where nothing would change. */
export const showPlans = (cli: Cli, plans: readonly AgentPlan[]) =>
  plans
    .filter((plan) => !isEmpty(plan))
    .flatMap((plan) => describeAgent(cli, plan))
    .join('\n')
