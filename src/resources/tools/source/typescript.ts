import { type JsDoc, readJsDoc } from './jsdoc.ts'
import type { Value } from './json-schema.ts'
import { type Parameter, type Signature, UnreadableSource } from './signature.ts'
import { type ProgramFunction, parseProgram, toolFunction } from './typescript-functions.ts'
import { positionOf, type TypeReader } from './typescript-program.ts'
import { createTypeScriptTypes, typeOfLiteral } from './typescript-types.ts'

/**
 * The signature of the tool in a TypeScript source, as of `toolFunction`: the name, the descriptions of the JSDoc comment
 * and the types of the parameters. A parameter with `?` or a default may be left out.
 */
export function readTypeScript(source: string): Signature {
  const { body } = parseProgram(source)
  const tool = toolFunction(body)
  const doc = readJsDoc(tool.statement.leadingComments?.at(-1)?.value)
  const types = createTypeScriptTypes(body)

  return {
    name: tool.name,
    position: positionOf(tool.statement),
    description: doc.description,
    parameters: tool.node.params.flatMap((param) => parametersOf(param, doc, types)),
    described: { whole: 'a JSDoc comment before it must say what it does', parameter: 'a @param of the JSDoc comment' },
  }
}

/** The parameter as a call names it; none for `this` and for a rest parameter, which a call can't name. */
function parametersOf(node: ProgramFunction['node']['params'][number], doc: JsDoc, types: TypeReader): Parameter[] {
  const [target, fallback] = node.type === 'AssignmentPattern' ? [node.left, node.right] : [node, undefined]
  if (target.type === 'RestElement' || (target.type === 'Identifier' && target.name === 'this')) return []
  const position = positionOf(target)
  if (target.type !== 'Identifier') {
    throw new UnreadableSource({ position, message: 'a parameter must have a name: take it apart inside the function' })
  }
  const { name, typeAnnotation, optional } = target
  const value = (): Value => {
    const found =
      typeAnnotation?.type === 'TSTypeAnnotation'
        ? types.typeOf(typeAnnotation.typeAnnotation, fieldNotes(doc, name))
        : fallback && typeOfLiteral(fallback)
    if (!found) throw new UnreadableSource({ position, message: `parameter ${name} has no type` })
    return { ...found, optional: found.optional || optional === true || fallback !== undefined }
  }
  return [{ name, position, description: doc.params.get(name), value }]
}

/** The descriptions of the fields of a parameter, such as `@param options.unit`, by field. */
const fieldNotes = ({ params }: JsDoc, parameter: string) =>
  new Map(
    [...params].flatMap(([path, text]) =>
      path.startsWith(`${parameter}.`) ? [[path.slice(parameter.length + 1), text] as const] : [],
    ),
  )
