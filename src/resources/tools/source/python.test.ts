import { describe, expect, test } from 'vitest'
import { deriveSchema } from './derive.ts'

const derive = (source_code: string) => deriveSchema({ source_code, source_type: 'python' })

/** The schema of a function with these parameters, each described by its own name. */
function parametersOf(parameters: string, before = '') {
  const names = [...parameters.matchAll(/(\w+)\s*:\s/g)].map((match) => match[1])
  const entries = names.map((name) => `        ${name}: The ${name}.`).join('\n')
  const derived = derive(`${before}\ndef tool(${parameters}):\n    """Does.\n\n    Args:\n${entries}\n    """\n`)
  if ('faults' in derived) throw new Error(derived.faults.join('\n'))
  return derived.schema.parameters
}

/** The schema of one type, less its description. */
function typeOf(hint: string, before = '') {
  const { description, ...schema } = parametersOf(`x: ${hint}`, before).properties.x as { description: string }
  expect(description).toBe('The x.')
  return schema
}

function faultsOf(source: string): string[] {
  const derived = derive(source)
  return 'faults' in derived ? derived.faults : []
}

describe('a Python function', () => {
  test('tells name, description and parameters by its signature and its docstring', () => {
    const source = `
import os

def roll_dice(sides: int, times: int = 1, *, label: str) -> list[int]:
    """Roll dice.

    Each die is fair.

    Args:
        sides (int): How many sides
            each die has.
        times: How often:
            once, as a rule.
        label (Optional[str]): What to call it.

    Returns:
        list[int]: what was rolled
    """
    return []
`
    expect(derive(source)).toEqual({
      schema: {
        name: 'roll_dice',
        description: 'Roll dice.\n\nEach die is fair.',
        parameters: {
          type: 'object',
          properties: {
            sides: { type: 'integer', description: 'How many sides\neach die has.' },
            times: { type: 'integer', description: 'How often:\nonce, as a rule.' },
            label: { type: 'string', description: 'What to call it.' },
          },
          required: ['sides', 'label'],
        },
      },
    })
  })

  test('is the last one at the top level, async or not', () => {
    const first = 'def first():\n    """One."""\n'
    expect(derive(`${first}async def last():\n    """Two."""\n    def inner(): pass\n`)).toMatchObject({
      schema: { name: 'last', description: 'Two.', parameters: { type: 'object', properties: {}, required: [] } },
    })
    expect(derive(`${first}class C:\n    def method(self): pass\n`)).toMatchObject({ schema: { name: 'first' } })
  })

  test('hides what the server fills in, and what can’t be given by name', () => {
    const { properties, required } = parametersOf('self, x: int, agent_state: "AgentState", agent_id: str, *a, **k')
    expect([Object.keys(properties), required]).toEqual([['x'], ['x']])
  })

  test('takes the documented types', () => {
    expect(typeOf('str')).toEqual({ type: 'string' })
    expect(typeOf('int')).toEqual({ type: 'integer' })
    expect(typeOf('float')).toEqual({ type: 'number' })
    expect(typeOf('bool')).toEqual({ type: 'boolean' })
    expect(typeOf('Any')).toEqual({})
    expect(typeOf('list')).toEqual({ type: 'array', items: {} })
    for (const hint of ['list[int]', 'List[int]', 'typing.List[int]', '"list[int]"', 'Sequence["int"]', 'L[int]']) {
      expect(typeOf(hint, 'from typing import List as L')).toEqual({ type: 'array', items: { type: 'integer' } })
    }
    expect(typeOf('dict')).toEqual({ type: 'object' })
    expect(typeOf('Dict[str, Any]')).toEqual({ type: 'object' })
    expect(typeOf('dict[str, float]')).toEqual({ type: 'object', additionalProperties: { type: 'number' } })
    expect(typeOf('tuple[int, str]')).toEqual({
      type: 'array',
      prefixItems: [{ type: 'integer' }, { type: 'string' }],
      minItems: 2,
      maxItems: 2,
    })
    expect(typeOf('tuple[int, ...]')).toEqual({ type: 'array', items: { type: 'integer' } })
    for (const hint of ['Union[int, str]', 'int | str', 'Union[int, Union[str, int]]']) {
      expect(typeOf(hint)).toEqual({ anyOf: [{ type: 'integer' }, { type: 'string' }] })
    }
    expect(typeOf('Literal["c", "f"]')).toEqual({ type: 'string', enum: ['c', 'f'] })
    expect(typeOf('Literal[1, -2]')).toEqual({ type: 'integer', enum: [1, -2] })
    expect(typeOf('Unit', 'Unit = Literal["c", "f"]')).toEqual({ type: 'string', enum: ['c', 'f'] })
    expect(typeOf('Unit', 'type Unit = int')).toEqual({ type: 'integer' })
    expect(typeOf('datetime.date')).toEqual({ type: 'string', format: 'date' })
    expect(typeOf('list[Optional[int]]')).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    })
  })

  test('need not be given what has a default, or may be None', () => {
    const { properties, required } = parametersOf(
      'a: int, b: int = 1, c: Optional[int] = None, d: int | None = None, *, e: Optional[str], f: int = 2, g: int',
    )
    expect(required).toEqual(['a', 'g'])
    expect(properties.c).toEqual({ type: 'integer', description: 'The c.' })
    expect(properties.d).toEqual({ type: 'integer', description: 'The d.' })
    expect(properties.e).toEqual({ type: 'string', description: 'The e.' })
  })

  test('may take pydantic models, typed dictionaries, dataclasses and enumerations of the same source', () => {
    const before = `
class Base(BaseModel):
    """Attributes:
        id: Which.
    """
    id: int

class Color(str, Enum):
    RED = "red"
    BLUE = "blue"

class Item(Base):
    """An item."""
    model_config = ConfigDict(extra="forbid")
    kind: ClassVar[str] = "item"
    name: str = Field(..., description="What it "
                                       "is called.")
    tags: list[str] = Field(default_factory=list)
    color: Color = Color.RED
    note: Optional[str]

class Options(TypedDict, total=False):
    deep: Required[bool]
    limit: int

@dataclass
class Point:
    x: float
    y: float = 0.0
`
    expect(typeOf('list[Item]', before)).toEqual({
      type: 'array',
      items: {
        type: 'object',
        description: 'An item.',
        properties: {
          id: { type: 'integer', description: 'Which.' },
          name: { type: 'string', description: 'What it is called.' },
          tags: { type: 'array', items: { type: 'string' } },
          color: { type: 'string', enum: ['red', 'blue'] },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['id', 'name', 'note'],
      },
    })
    expect(typeOf('Options', before)).toMatchObject({ required: ['deep'] })
    expect(typeOf('Point', before)).toMatchObject({ properties: { y: { type: 'number' } }, required: ['x'] })
  })

  test('takes its parameters from args_json_schema where that is given', () => {
    const args_json_schema = { properties: { x: { type: 'integer' } }, required: ['x'], $defs: {} }
    const source_code = 'def f(x, y):\n    """Does."""\n'
    expect(deriveSchema({ source_code, source_type: 'python', args_json_schema })).toEqual({
      schema: { name: 'f', description: 'Does.', parameters: { type: 'object', ...args_json_schema } },
    })
  })
})

describe('a Python source that can’t be read', () => {
  test.each([
    ['def f(:\n    pass', 'line 1, column 7: '],
    ['def f():\n    x = = 1', 'line 2, column 9: '],
    ['def f():\n    return "abc', 'line 2, column 1: '],
    ['def f():\n        a = 1\n    b = 2', 'line 3, column 1: '],
    ['function f() { return 1 }', 'line 1, column 10: '],
  ])('is told where: %j', (source, where) => {
    expect(faultsOf(source)).toEqual([expect.stringContaining(where)])
  })

  test('is told everything that is missing', () => {
    const faults = faultsOf('\ndef f(x, y: Foo, z: int):\n    """\n    Args:\n        z: The z.\n    """\n')
    expect(faults).toEqual([
      expect.stringMatching(/^line 2, column 1: function f is not described/),
      expect.stringMatching(/^line 2, column 7: parameter x is not described/),
      expect.stringMatching(/^line 2, column 7: parameter x has no type hint/),
      expect.stringMatching(/^line 2, column 10: parameter y is not described/),
      expect.stringMatching(/^line 2, column 13: Foo is no type that JSON can hold/),
    ])
    expect(faultsOf('')).toEqual(['no function is defined at the top level'])
    expect(faultsOf('def f(x: int, /):\n    """A."""')).toEqual([expect.stringContaining('positional-only')])
  })

  test('is told which types JSON can’t hold', () => {
    const refused = (hint: string, before = '') => {
      const faults = faultsOf(`${before}\ndef f(x: ${hint}):\n    """Does.\n\n    Args:\n        x: X\n    """`)
      expect([hint, faults.length]).toEqual([hint, 1])
      return faults[0]!
    }
    for (const hint of ['bytes', 'Foo[int]', '"list["', 'Literal[Foo]', 'f()', '5']) refused(hint)
    expect(refused('C', 'class C: pass')).toContain('class C is no pydantic BaseModel')
    expect(refused('C', 'class C(BaseModel):\n    c: "list[C]"')).toContain(
      'line 2, column 8: the type C contains itself',
    )
    expect(refused('A', 'A = Union[B, int]\nB = Union[A, str]')).toContain('contains itself')
    expect(refused('A', 'A = list[B]\nB = list[A]')).toContain('nested deeper')
  })

  test('is refused when it would grow without measure', () => {
    const chain = (line: (n: number) => string) => Array.from({ length: 60 }, (_, n) => line(n + 1)).join('\n')
    const tool = 'def f(x: T25):\n    """Does.\n\n    Args:\n        x: X\n    """'
    for (const before of [
      `class T0(BaseModel): pass\n${chain((n) => `class T${n}(BaseModel):\n    a: T${n - 1}\n    b: T${n - 1}`)}`,
      `T0 = int\n${chain((n) => `T${n} = Union[T${n - 1}, T${n - 1}]`)}`,
      `class T0(BaseModel): pass\nclass U0(BaseModel): pass\n${chain((n) => `class T${n}(T${n - 1}, U${n - 1}): pass\nclass U${n}(T${n - 1}, U${n - 1}): pass`)}`,
    ]) {
      expect(faultsOf(`${before}\n${tool}`)).toEqual([expect.stringMatching(/nested deeper|more than 1000 types/)])
    }
    expect(faultsOf('('.repeat(50_000))).toEqual([expect.stringContaining('nested too deeply')])
    expect(faultsOf(`def f(x: ${'list['.repeat(40)}int${']'.repeat(40)}):\n    """A."""`)).toContainEqual(
      expect.stringContaining('nested deeper'),
    )
    expect(faultsOf('def f():\n    """A\\0"""')).toEqual(['description must not contain a NUL character'])
  })
})
