import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  contentOf,
  exported,
  imported,
  importFile,
  type Json,
  readRealFile,
  realFiles,
  timeless,
} from '../../../test/agent-export.ts'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
let alice: Client
let bob: Client
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  bob = server.bob
})
afterAll(() => server.close())

/** Without the nulls, which say "no value" in these files. */
const withoutNulls = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(withoutNulls)
    : value === null || typeof value !== 'object'
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== null)
            .map(([key, inner]) => [key, withoutNulls(inner)]),
        )

describe('a file found in the wild', () => {
  test.skipIf(realFiles.length === 0).each(realFiles)(
    'is imported, and the same after export, import and export: %s (skipped where the files are not beside the repository)',
    async (name) => {
      const text = readRealFile(name)
      const { status, body } = await importFile(alice, text)
      expect([status, body.warnings]).toEqual([200, undefined])
      const [hers] = body.agent_ids
      const first = await exported(alice, hers)
      const [his] = await imported(bob, first)
      expect(timeless(await exported(bob, his!))).toEqual(timeless(first))

      // What it said is what the export says, by names for ids.
      const wild = withoutNulls(contentOf(text))
      const [was] = wild.agents
      const [is] = first.agents
      for (const field of [
        'name',
        'system',
        'agent_type',
        'description',
        'llm_config',
        'timezone',
        'tool_rules',
        'max_files_open',
      ]) {
        expect([field, is[field]]).toEqual([field, was[field]])
      }
      const named = (file: Json, agent: Json) => ({
        embedding: agent.embedding_config,
        tools: agent.tool_ids.map((id: string) => file.tools.find((tool: Json) => tool.id === id).name),
        sources: file.tools.map(({ source_code }: Json) => source_code).sort(),
        blocks: agent.block_ids.map((id: string) => {
          const { label, value, limit, read_only } = file.blocks.find((block: Json) => block.id === id)
          return { label, value, limit, read_only }
        }),
        messages: agent.messages.map(({ role, content, model, created_at }: Json) => [
          role,
          withoutNulls(content),
          model,
          Date.parse(created_at),
        ]),
      })
      expect(named(first, is)).toEqual(named(wild, was))
    },
  )
})
