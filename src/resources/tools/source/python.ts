import { type Arguments, type Module, parse, type StmtNode } from 'py-ast'
import type { Value } from './json-schema.ts'
import { docstringOf, type Located, positionOf } from './python-module.ts'
import { createPythonTypes } from './python-types.ts'
import { type Parameter, type Signature, UnreadableSource } from './signature.ts'

/** Parameters whose arguments come from the server. */
const HIDDEN = ['self', 'agent_state', 'agent_id']

/** The syntax tree of a source. */
function parseModule(source: string): Module {
  try {
    return parse(source)
  } catch (error) {
    if (error instanceof RangeError) throw error
    const { lineno, col_offset, message } = error as Error & Located
    // Errors of the tokenizer have their position in the message alone.
    const [, text, line, column] = /^(.*?)(?: at line (\d+)(?:, column (\d+))?)?$/s.exec(message)!
    const position = positionOf({ lineno: lineno ?? Number(line ?? 1), col_offset: col_offset ?? Number(column ?? 0) })
    throw new UnreadableSource({ position, message: text! })
  }
}

type PythonFunction = Extract<StmtNode, { nodeType: 'FunctionDef' | 'AsyncFunctionDef' }>

/** The functions at the top level of a module. */
const functionsOf = ({ body }: Module) =>
  body.filter((node): node is PythonFunction => node.nodeType === 'FunctionDef' || node.nodeType === 'AsyncFunctionDef')

/** The names of the functions at the top level of a Python source. Throws UnreadableSource. */
export const pythonFunctions = (source: string) => functionsOf(parseModule(source)).map(({ name }) => name)

/** The parameters that a call can name, in order: all but `*args` and `**kwargs`. */
function parametersOf({ posonlyargs, args, kwonlyargs, defaults, kw_defaults }: Arguments) {
  const [positional] = posonlyargs
  if (positional) {
    const message = `parameter ${positional.arg} is positional-only, and tools are called with arguments by name`
    throw new UnreadableSource({ position: positionOf(positional), message })
  }
  return [
    ...args.map((arg, index) => ({ arg, optional: index >= args.length - defaults.length })),
    ...kwonlyargs.map((arg, index) => ({ arg, optional: kw_defaults[index] !== null })),
  ].filter(({ arg }) => !HIDDEN.includes(arg.arg))
}

/**
 * The last function at the top level of a Python source: its name, its docstring (Google style) and the types of
 * its parameters. A parameter with a default, or one that may be None, may be left out.
 */
export function readPython(source: string): Signature {
  const module = parseModule(source)
  const tool = functionsOf(module).at(-1)
  if (!tool) throw new UnreadableSource({ message: 'no function is defined at the top level' })
  const { description, entries } = docstringOf(tool)
  const types = createPythonTypes(module)
  const parameters = parametersOf(tool.args).map(({ arg, optional }): Parameter => {
    const position = positionOf(arg)
    return {
      name: arg.arg,
      position,
      description: entries.get(arg.arg),
      value(): Value {
        if (!arg.annotation) throw new UnreadableSource({ position, message: `parameter ${arg.arg} has no type hint` })
        const value = types.typeOf(arg.annotation)
        return { ...value, optional: optional || value.optional }
      },
    }
  })
  return {
    name: tool.name,
    position: positionOf(tool),
    description,
    parameters,
    described: {
      whole: 'its docstring must say what it does (Google style)',
      parameter: 'the section Args: of the docstring',
    },
  }
}
