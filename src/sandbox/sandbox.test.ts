import { afterAll, describe, expect, test } from 'vitest'
import { createSandbox } from './open.ts'
import type { SandboxCall } from './sandbox.ts'

const sandbox = createSandbox({ mode: 'auto', dataDir: '/nowhere', packageIndexes: { pip: '', npm: '' } })
const { kind } = await sandbox.opened()
afterAll(() => sandbox.close())

const call = (code: string, args: object = {}, more: Partial<SandboxCall> = {}) =>
  sandbox.run({
    organizationId: 'org-1',
    language: 'python',
    code,
    name: 'tool',
    args: args as SandboxCall['args'],
    env: {},
    ...more,
  })

const MODELS = `
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Literal

class Color(Enum):
    RED = "red"

@dataclass
class Point:
    x: int
    y: Optional[float] = None

`

describe.skipIf(kind === 'none')('a tool in Python', () => {
  test.for([
    ['x: int', 'x * 2', { x: 21 }, 42, '42'],
    ['x: int', 'x * 2', { x: '21' }, 42, '42'],
    ['x: float', 'x', { x: 2 }, 2, '2.0'],
    ['x', 'None', { x: 1 }, null, 'None'],
    ['x: dict', 'x', { x: { word: 'hey', n: [1, 2] } }, { word: 'hey', n: [1, 2] }, "{'word': 'hey', 'n': [1, 2]}"],
    ['x: list', 'x[0]', { x: '["a"]' }, 'a', 'a'],
    ['x: str = "d"', 'x', {}, 'd', 'd'],
    ['p: Point', 'p', { p: { x: '1' } }, 'Point(x=1, y=None)', 'Point(x=1, y=None)'],
    ['p: list[Point]', 'p[1].y', { p: [{ x: 1 }, { x: 2, y: 3 }] }, 3, '3.0'],
    ['p: Point | None = None', 'p.x', { p: { x: 1 } }, 1, '1'],
    ['p: Optional["Point"] = None', 'p', {}, null, 'None'],
    ['c: Color', 'c.name', { c: 'red' }, 'RED', 'RED'],
    ['d: dict[str, list[int]]', 'd', { d: { a: ['1'] } }, { a: [1] }, "{'a': [1]}"],
    ['c: Literal["a", "b"]', 'c', { c: 'a' }, 'a', 'a'],
    ['x', '{1, 2}', { x: 1 }, '{1, 2}', '{1, 2}'],
    ['x', 'float("nan")', { x: 1 }, 'nan', 'nan'],
    [
      'x',
      'x',
      { x: ['😀\ud800\n"\\', -1.5e300, 2 ** 53, true, null] },
      ['😀\ud800\n"\\', -1.5e300, 2 ** 53, true, null],
      expect.stringContaining('😀'),
    ],
    ['x', '{1: x, None: (2.0,)}', { x: {} }, { 1: {}, null: [2] }, '{1: {}, None: (2.0,)}'],
    ['x', 'x.append(x) or x', { x: [1] }, '[1, [...]]', '[1, [...]]'],
  ] as const)('with the parameter %s that returns %s', async ([parameters, expression, args, value, text]) => {
    const result = await call(`${MODELS}def tool(${parameters}):\n    return ${expression}`, args)
    expect(result).toMatchObject({ status: 'success', value, text, stderr: '' })
  })

  test('prints, awaits, and reads its environment', async () => {
    const code =
      'import os, sys\nasync def tool():\n  print("out")\n  print("err", file=sys.stderr)\n  return os.environ["A"]'
    expect(await call(code, {}, { env: { A: 'ä' } })).toMatchObject({ text: 'ä', stdout: 'out\n', stderr: 'err\n' })
  })

  test('that raises has its error as the result, with the traceback of its own source alone', async () => {
    const result = await call('def tool(word):\n    raise ValueError("bad " + word)', { word: 'hey' })
    expect(result).toMatchObject({ status: 'error', text: 'Error executing function tool: ValueError: bad hey' })
    expect(result.stderr).toBe(
      'Traceback (most recent call last):\n  File "tool.py", line 2, in tool\n    raise ValueError("bad " + word)\nValueError: bad hey\n',
    )
  })

  test.for([
    ['def tool(', 'SyntaxError'],
    ['x = 1', 'NameError: the source defines no function tool'],
    ['def tool(a): pass', "missing 1 required positional argument: 'a'"],
    ['def tool(a: int = 1): pass', 'ValueError: argument a: invalid literal for int()', { a: 'x' }],
    ['def tool(): raise SystemExit(3)', 'SystemExit: 3'],
    ['import os\ndef tool(): os._exit(0)', 'it ended without a return'],
    ['def tool(): return tool()', 'RecursionError'],
  ] as const)('%j fails with %s', async ([code, message, args]) => {
    expect(await call(code, args)).toMatchObject({ status: 'error', text: expect.stringContaining(message) })
  })

  test('gets arguments as the models that their schema defines, where its source only names these', async () => {
    const color = { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }], default: null }
    const definitions = {
      Color: { enum: ['red', 'blue'], type: 'string' },
      Item: { properties: { name: { type: 'string' }, color }, required: ['name'] },
      Order: { properties: { items: { type: 'array', items: { $ref: '#/$defs/Item' } } }, required: ['items'] },
    }
    const code = `def tool(order: Order, first: "Item | None" = None):
    names = [(type(item).__name__, item.name, item.color and item.color.name) for item in order.items]
    return names, order.model_dump()["items"][1]["name"]`
    const items = [{ name: 'pen', color: 'red' }, { name: 'ink' }]
    const value = [
      [
        ['Item', 'pen', 'red'],
        ['Item', 'ink', null],
      ],
      'ink',
    ]
    expect(await call(code, { order: { items } }, { definitions })).toMatchObject({ stderr: '', value })
    const lacking = await call(code, { order: { items: [{ color: 'red' }] } }, { definitions })
    expect(lacking.text).toContain('Item lacks name')
  })

  test('sees the memory of its agent, and changes it', async () => {
    const code =
      'def tool(agent_state: "AgentState", agent_id: str):\n' +
      '  memory = agent_state.memory\n' +
      '  memory.update_block_value("human", memory.get_block("human").value + "!")\n' +
      '  return [agent_id, agent_state.name, memory.list_block_labels()]'
    const blocks = [
      { label: 'human', value: 'Ada' },
      { label: 'persona', value: 'P' },
    ]
    const result = await call(code, {}, { agentState: { id: 'agent-1', name: 'Bo', blocks } })
    expect(result).toMatchObject({ value: ['agent-1', 'Bo', ['human', 'persona']], memory: { human: 'Ada!' } })
  })

  test('that is a script has the value of its last line', async () => {
    expect(await call('x = 20\nx + 1', {}, { name: undefined })).toMatchObject({ value: 21 })
  })

  test('ends with its caller', async () => {
    const reason = new Error('cancelled')
    const controller = new AbortController()
    const running = sandbox.run(
      { organizationId: 'o', language: 'python', code: 'while True: pass', args: {}, env: {} },
      controller.signal,
    )
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})
