import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  exported,
  foreignFiles,
  imported,
  importFile,
  type Json,
  omitNulls,
  parseAgentFile,
  timeless,
} from '../../../test/agent-export.ts'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

describe('an agent file of another server', () => {
  test.each(foreignFiles.map((path) => [basename(path), path]))(
    'is imported, and the same after export, import and export: %s',
    async (_, path) => {
      const text = readFileSync(path, 'utf8')
      const { status, body } = await importFile(alice, text)
      expect([status, body.warnings]).toEqual([200, undefined])
      const [hers] = body.agent_ids
      const first = await exported(alice, hers)
      const [his] = await imported(bob, first)
      expect(timeless(await exported(bob, his!))).toEqual(timeless(first))

      // The export says the same as the file, with names in place of ids.
      const wild = omitNulls(parseAgentFile(text))
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
          omitNulls(content),
          model,
          Date.parse(created_at),
        ]),
      })
      expect(named(first, is)).toEqual(named(wild, was))
    },
  )
})
